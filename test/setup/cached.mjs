import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cache } from "./places.mjs";
import { step } from "./progress.mjs";

const underWay = new Map();

/** A folder of the cache, filled by `install` once; a half-finished installation is never taken for a whole one. */
export function ensureCached(name, install) {
  if (!underWay.has(name)) underWay.set(name, fill(name, install));
  return underWay.get(name);
}

async function fill(name, install) {
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  writeFileSync(join(partial, "package.json"), '{"name":"inference-gateway-dev","private":true}\n');
  await step(`Installing ${name}`, () => install(partial));
  renameSync(partial, folder);
  return folder;
}
