import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The first of these executables on the PATH. */
export function findInPath(...names) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const name of names) {
    const found = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
    if (found !== undefined) return found;
  }
  return undefined;
}
