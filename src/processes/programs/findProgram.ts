import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import { expandHome } from "../../core/kernel/homeFolder.ts";

/** Where programs are looked up. Tests replace it. */
export interface ProgramPlace {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Whether the path is a file that can be executed. */
  isProgram(path: string): boolean;
}

/**
 * A program with its whole path, or the path of a script that only a shell can start. Undefined if there is neither.
 */
type FoundProgram = { readonly program: string } | { readonly script: string } | undefined;

/** This machine, with the variables of a process. */
export function thisPlace(environment: ProgramPlace["environment"] = process.env): ProgramPlace {
  return { platform: process.platform, environment, home: homedir(), isProgram };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The extensions that Windows adds to a name, in its order. It starts the first two without a shell. */
const extensions = [".com", ".exe", ".bat", ".cmd"] as const;
const scriptEnd = /\.(?:bat|cmd)$/i;

/**
 * Looks a program up in `PATH` only: the current folder, where Windows looks first, may contain a program of somebody
 * else. A name with a folder is relative to the home folder.
 */
export function findProgram(name: string, place: ProgramPlace): FoundProgram {
  const { platform, home, isProgram: exists } = place;
  const { isAbsolute, join, resolve } = platform === "win32" ? win32 : posix;
  const hasFolder = platform === "win32" ? /[\\/:]/.test(name) : name.includes("/");
  const folders = pathOf(place).filter((folder) => isAbsolute(folder));
  const bases = hasFolder ? [resolve(home, expandHome(name, home))] : folders.map((each) => join(each, name));
  if (platform !== "win32") {
    const program = hasFolder ? bases[0] : bases.find((base) => exists(base));
    return program === undefined ? undefined : { program };
  }
  const ends = extensions.some((end) => name.toLowerCase().endsWith(end)) ? [""] : extensions;
  const found = bases.flatMap((base) => ends.map((end) => base + end)).find((path) => exists(path));
  if (found === undefined) return undefined;
  return scriptEnd.test(found) ? { script: found } : { program: found };
}

/** Folders that a terminal of the user has in `PATH`, but not a program that was started from the Dock or a menu. */
const furtherFolders: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["/opt/homebrew/bin", "/usr/local/bin", "/opt/local/bin", "~/.local/bin"],
  linux: ["~/.local/bin"],
};

/** The folders in which programs are looked up. */
function pathOf({ platform, environment, home }: ProgramPlace): readonly string[] {
  const isWindows = platform === "win32";
  const text = environment[pathName(environment)] ?? (isWindows ? "" : "/usr/bin:/bin");
  const folders = isWindows ? text.replaceAll('"', "").split(";") : text.split(":");
  const further = (furtherFolders[platform] ?? []).map((each) => expandHome(each, home));
  return [...new Set([...folders.filter((each) => each !== ""), ...further])];
}

/** Windows calls it `Path`. */
function pathName(environment: ProgramPlace["environment"]): string {
  return Object.keys(environment).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
}

/**
 * The variables of a program that this extension starts: without those that would make it behave like a part of VS Code,
 * and with the folders in which the user's programs are.
 */
export function childEnvironment(place: ProgramPlace): NodeJS.ProcessEnv {
  const { environment, platform } = place;
  const own = /^(?:VSCODE_|ELECTRON_|NODE_OPTIONS$)/i;
  return {
    ...Object.fromEntries(Object.entries(environment).filter(([name]) => !own.test(name))),
    [pathName(environment)]: pathOf(place).join(platform === "win32" ? ";" : ":"),
    // Otherwise, cmd also looks in the current folder first.
    ...(platform === "win32" ? { NoDefaultCurrentDirectoryInExePath: "1" } : {}),
  };
}
