import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npm } from "./npm.mjs";
import { root } from "./places.mjs";
import { step } from "./progress.mjs";

/** Installs the folder's node_modules if it is missing or the lock file has changed since. */
export async function ensureNodeModules(folder = root) {
  const stamp = join(folder, "node_modules", ".installed-lock");
  const lockFile = readFileSync(join(folder, "package-lock.json"));
  const lock = createHash("sha256").update(lockFile).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  await step("Installing node_modules", () => npm(["ci"], folder));
  writeFileSync(stamp, lock);
}
