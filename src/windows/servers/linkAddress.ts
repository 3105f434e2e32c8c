import { readFileSync } from "node:fs";
import { isRecord, stringField } from "../../core/kernel/json.ts";

/** Where the leading window is found, in a file that only this user reads. */
export interface LinkAddress {
  readonly path: string;
  /** Known to who may read the file; pipes of Windows are open to everybody. */
  readonly token: string;
}

/** Undefined where no window has said where it is. */
export function readAddress(file: string): LinkAddress | undefined {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, "utf8"));
    const path = isRecord(stored) ? stringField(stored, "path") : undefined;
    const token = isRecord(stored) ? stringField(stored, "token") : undefined;
    return path === undefined || token === undefined ? undefined : { path, token };
  } catch {
    return undefined;
  }
}
