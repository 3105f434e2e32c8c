import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cache } from "./places.mjs";
import { step } from "./progress.mjs";

const underWay = new Map();

/** A folder in the cache, filled once by `install`. An incomplete installation is never mistaken for a complete one. */
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
