import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { serverExecutables } from "./hostVersion.ts";

const execute = promisify(execFile);

/** Installs a packaged extension as a user would. Returns the IDs that VS Code then lists as installed. */
export async function installVsix(file: string, dataFolder: string): Promise<readonly string[]> {
  const run = async (...args: readonly string[]): Promise<string> => {
    const { node, folder } = serverExecutables("newest");
    const { stdout } = await execute(node, [
      join(folder, "out", "node", "entry.js"),
      ...["--user-data-dir", dataFolder, "--extensions-dir", join(dataFolder, "extensions")],
      ...["--config", join(dataFolder, "config.yaml")],
      ...args,
    ]);
    return stdout;
  };
  await run("--install-extension", file);
  const listed = await run("--list-extensions");
  return listed.split("\n").filter((line) => /^[\w-]+\.[\w-]+$/.test(line));
}
