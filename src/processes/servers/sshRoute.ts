import { execFile } from "node:child_process";
import type { ExecFileOptionsWithStringEncoding } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { basename } from "node:path";
import { expandHome } from "../../core/kernel/homeFolder.ts";
import { keyText } from "../../core/servers/connect/sshKeys.ts";
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
  const values = await readSettings(target);
  const isProxied = ["proxycommand", "proxyjump"].some((name) => (values(name)[0] ?? "none") !== "none");
  const port = Number(values("port")[0] ?? target.port ?? 22);
  return { host: values("hostname")[0] ?? target.host, port, isProxied };
}

/**
 * The keys that `ssh` offers to a server: those in files and those of the agent. Only their public parts are read, and
 * nothing connects.
 */
export async function readSshKeys(target: SshTarget): Promise<readonly string[]> {
  const values = await readSettings(target);
  const paths = values("identityfile").map((path) => expandHome(path, homedir()));
  const inFiles = paths
    .slice(0, 20)
    .filter((path) => existsSync(path))
    .map(async (path) => {
      const printed = await run("ssh-keygen", ["-l", "-f", path]);
      return printed.flatMap((line) => keyText(line, basename(path)) ?? basename(path));
    });
  const hasAgent = values("identityagent")[0] !== "none" && values("identitiesonly")[0] !== "yes";
  const inAgent = hasAgent ? await run("ssh-add", ["-l"]) : [];
  const agent = inAgent.flatMap((line) => keyText(line) ?? []);
  return [...new Set([...(await Promise.all(inFiles)).flat(), ...agent])];
}

/** The values of each setting that the user's configuration has for a target. */
async function readSettings({ host, user, port }: SshTarget): Promise<(name: string) => readonly string[]> {
  const options = [
    ...(port === undefined ? [] : ["-p", String(port)]),
    ...(user === undefined ? [] : ["-l", user]),
  ];
  const { output = "" } = await askSsh([...options, "--", host]);
  const lines = output.slice(0, 100_000).split(/\r?\n/);
  return (name) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
}

/** The lines that a program next to `ssh` prints; none if it fails. */
async function run(name: string, args: readonly string[]): Promise<readonly string[]> {
  const found = findProgram(name, thisPlace());
  if (found === undefined || !("program" in found)) return [];
  return await new Promise((resolve) => {
    const child = execFile(found.program, [...args], askOptions(), (error, output) => {
      resolve(
        error === null
          ? output
              .slice(0, 20_000)
              .split(/\r?\n/)
              .filter((line) => line !== "")
          : [],
      );
    });
    child.stdin?.end();
  });
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
  return await new Promise((resolve) => {
    execFile(program, ["-G", ...args], askOptions(), (error, output, errors) => {
      const hasFailed = error !== null && typeof error.code === "number";
      resolve(hasFailed ? { refusal: errors.trim().slice(0, 1_000) } : { output });
    });
  });
}

function askOptions(): ExecFileOptionsWithStringEncoding {
  return {
    cwd: homedir(),
    env: { ...childEnvironment(thisPlace()), SSH_ASKPASS_REQUIRE: "never" },
    timeout: timeoutMs,
    windowsHide: true,
    encoding: "utf8",
  };
}
