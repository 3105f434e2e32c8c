import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const template = fileURLToPath(new URL("../fixtures/workspace", import.meta.url));

/** A copy of the example workspace that can be changed freely. Keeps an existing one. */
export function createExampleWorkspace(folder: string): string {
  const workspace = join(folder, "example-workspace");
  if (!existsSync(workspace)) cpSync(template, workspace, { recursive: true });
  return workspace;
}
