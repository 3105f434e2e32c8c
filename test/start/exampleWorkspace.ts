import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const template = fileURLToPath(new URL("../fixtures/workspace", import.meta.url));

/** A copy of the example workspace that may be changed at will; keeps the one that is there. */
export function createExampleWorkspace(folder: string): string {
  const workspace = join(folder, "example-workspace");
  if (!existsSync(workspace)) cpSync(template, workspace, { recursive: true });
  return workspace;
}
