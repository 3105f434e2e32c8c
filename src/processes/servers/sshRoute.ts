import { execFile } from "node:child_process";
import { homedir } from "node:os";
import type { SshTarget } from "../../core/servers/connect/sshTarget.ts";

/** Where ssh connects to for a target, according to the user's own configuration. */
interface SshRoute {
  readonly host: string;
  readonly port: number;
  /** Whether the connection leads through another host or program. */
  readonly isProxied: boolean;
}

const timeoutMs = 5_000;

/** Asks `ssh` itself, which doesn't connect for this. If it can't tell, its defaults count. */
export function readSshRoute(program: string, target: SshTarget): Promise<SshRoute> {
  const port = target.port === undefined ? [] : ["-p", String(target.port)];
  const args = ["-G", ...port, "--", target.host];
  return new Promise((resolve) => {
    execFile(program, args, { cwd: homedir(), timeout: timeoutMs, windowsHide: true }, (_error, output) => {
      const value = (name: string): string | undefined =>
        new RegExp(`^${name} (.{1,300})$`, "m").exec(output.slice(0, 100_000))?.[1];
      const isProxied = ["proxycommand", "proxyjump"].some((name) => (value(name) ?? "none") !== "none");
      const found = Number(value("port"));
      const host = value("hostname") ?? target.host;
      resolve({ host, port: Number.isInteger(found) ? found : (target.port ?? 22), isProxied });
    });
  });
}
