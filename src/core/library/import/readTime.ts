import { numberField } from "../../kernel/json.ts";

/** As far from 1970 as a date can be, in milliseconds. */
const farthest = 8.64e15;

/** The field as whole milliseconds since 1970; undefined where it is none, or beyond what a date can be. */
export function readTime(
  record: Readonly<Record<string, unknown>>,
  name: string,
  unit: "ms" | "s" = "ms",
): number | undefined {
  const time = Math.round((numberField(record, name) ?? NaN) * (unit === "s" ? 1_000 : 1));
  return Math.abs(time) <= farthest ? time : undefined;
}
