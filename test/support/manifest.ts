import { readFileSync } from "node:fs";
import { isRecord, recordsIn } from "../../src/core/kernel/json.ts";

/** The extension's package.json. */
export const manifest: unknown = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/** The value at this path of fields; undefined if there is none. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);
}

/** The names of the object's fields; none if it isn't an object. */
export function names(value: unknown): readonly string[] {
  return isRecord(value) ? Object.keys(value) : [];
}

/** The commands in package.json. */
export const declared = recordsIn(at(manifest, "contributes", "commands"));
/** The sections of settings. */
export const sections = recordsIn(at(manifest, "contributes", "configuration"));
/** The settings with their names. */
export const settings = sections.flatMap(({ properties }) =>
  isRecord(properties) ? Object.entries(properties) : [],
);
