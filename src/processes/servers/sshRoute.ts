import { execFile } from "node:child_process";
import { homedir } from "node:os";
import type { SshTarget } from "../../core/servers/connect/sshTarget.ts";
import { childEnvironment, findProgram, thisPlace } from "../programs/findProgram.ts";

/** Where ssh connects to for a target, according to the user's own configuration. */
interface SshRoute {
  readonly host: string;
  readonly port: number;
  /** Whether the connection leads through another host or program. */
  readonly isProxied: boolean;
}

const timeoutMs = 5_000;

/** The whole path of the user's `ssh`; undefined if there is none. */
export function findSsh(): string | undefined {
  const found = findProgram("ssh", thisPlace());
  return found !== undefined && "program" in found ? found.program : undefined;
}

/** Asks `ssh` itself, which doesn't connect for this. If it can't tell, its defaults count. */
export async function readSshRoute(target: SshTarget): Promise<SshRoute> {
  const port = target.port === undefined ? [] : ["-p", String(target.port)];
  const { output = "" } = await askSsh([...port, "--", target.host]);
  const value = (name: string): string | undefined =>
    new RegExp(`^${name} (.{1,300})$`, "m").exec(output.slice(0, 100_000))?.[1];
  const isProxied = ["proxycommand", "proxyjump"].some((name) => (value(name) ?? "none") !== "none");
  const found = Number(value("port"));
  const host = value("hostname") ?? target.host;
  return { host, port: Number.isInteger(found) ? found : (target.port ?? 22), isProxied };
}

/**
 * Why `ssh` refuses the configuration, in its own words; undefined if it accepts it, or if that can't be found out.
 * @param configPath The configuration, if it isn't the usual one.
 */
export async function sshRefusal(alias: string, configPath: string | undefined): Promise<string | undefined> {
  const { refusal } = await askSsh([...(configPath === undefined ? [] : ["-F", configPath]), "--", alias]);
  return refusal;
}

/** What `ssh -G` prints, which reads the configuration without connecting, or why it fails. */
async function askSsh(
  args: readonly string[],
): Promise<{ readonly output?: string; readonly refusal?: string }> {
  const program = findSsh();
  if (program === undefined) return {};
  const options = {
    cwd: homedir(),
    env: childEnvironment(thisPlace()),
    timeout: timeoutMs,
    windowsHide: true,
  };
  return await new Promise((resolve) => {
    execFile(program, ["-G", ...args], options, (error, output, errors) => {
      const hasFailed = error !== null && typeof error.code === "number";
      resolve(hasFailed ? { refusal: errors.trim().slice(0, 1_000) } : { output });
    });
  });
}
