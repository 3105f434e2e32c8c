import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { Row } from "./messageRow.ts";

/** The columns of a message that its checksum is of, in this order. Its status and its writer change on their own. */
const checkedColumns: readonly string[] = [
  "conversation_id",
  "id",
  "role",
  "created_at",
  "text",
  "reasoning",
  "details",
  "parent_id",
];

/** A statement's right-hand side that computes the checksum of a message's row. */
export const checksumOfRow = `message_checksum(${checkedColumns.join(", ")})`;

/** Makes the function of `checksumOfRow` known to the database's statements. */
export function defineChecksum(database: DatabaseSync): void {
  database.function("message_checksum", { deterministic: true, varargs: true }, checksumOf);
}

/** CRC-32 of values as SQLite gives them. */
export function checksumOf(...values: readonly unknown[]): number {
  let sum = 0;
  for (const value of values)
    sum = crc32("\0", crc32(typeof value === "string" ? value : String(value), sum));
  return sum;
}

/** Whether the row is not what was written. A row without a checksum was written by an older version. */
export function isAltered(row: Row): boolean {
  const { checksum } = row;
  return typeof checksum === "number" && checksum !== checksumOf(...checkedColumns.map((name) => row[name]));
}

/** The same of a row of what a message grew by. */
export function isGrowthAltered({ checksum, text, reasoning }: Row): boolean {
  return typeof checksum === "number" && checksum !== checksumOf(text, reasoning);
}
