import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { join, resolve } from "node:path";

/** The arguments that @vscode/test-electron passes to the executable, except those that only concern Electron. */
export interface StandInArguments {
  /** A path, or the address of a folder in another file system. */
  readonly workspace: string | undefined;
  readonly extensions: readonly string[];
  readonly tests: string | undefined;
  /** The desktop's user settings. */
  readonly settingsFile: string | undefined;
}

/** Accepts a path or a `file:` URL wherever the desktop does. */
export function parseStandInArguments(args: readonly string[]): StandInArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      extensionDevelopmentPath: { type: "string", multiple: true },
      "folder-uri": { type: "string" },
      extensionTestsPath: { type: "string" },
      "user-data-dir": { type: "string" },
      "extensions-dir": { type: "string" },
    },
    // Electron's own flags aren't defined here.
    strict: false,
    allowPositionals: true,
  });
  const userData = pathOf(values["user-data-dir"]);
  const { extensionDevelopmentPath: extensions = [], "folder-uri": folder } = values;
  return {
    workspace: typeof folder === "string" ? folder : pathOf(positionals[0]),
    extensions: [extensions]
      .flat()
      .map(pathOf)
      .filter((path) => path !== undefined),
    tests: pathOf(values["extensionTestsPath"]),
    settingsFile: userData === undefined ? undefined : join(userData, "User", "settings.json"),
  };
}

function pathOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return value.startsWith("file:") ? fileURLToPath(value) : resolve(value);
}
