import { numberField, stringField } from "../../core/kernel/json.ts";
import { createPatternText } from "./patternText.ts";
import type { Schema } from "./schema.ts";

const longestText = 100_000;

/** A string for the schema of a property of this name. */
export function createSchemaText(schema: Schema, name: string, random: () => number): string {
  const pattern = stringField(schema, "pattern");
  if (pattern !== undefined) return createPatternText(pattern, random);
  const made = createFormatText(stringField(schema, "format"), random);
  if (made !== undefined) return made;
  const text = `${name.replaceAll(/[_-]+/g, " ")} ${numberFrom(random, 1, 99)}`;
  const least = Math.min(numberField(schema, "minLength") ?? 0, longestText);
  return [...text.padEnd(least, " more")]
    .slice(0, Math.max(least, numberField(schema, "maxLength") ?? longestText))
    .join("");
}

function numberFrom(random: () => number, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

function createFormatText(format: string | undefined, random: () => number): string | undefined {
  const two = (least: number, most: number): string =>
    String(numberFrom(random, least, most)).padStart(2, "0");
  const hex = (length: number): string =>
    Array.from({ length }, () => numberFrom(random, 0, 15).toString(16)).join("");
  const date = `20${two(20, 29)}-${two(1, 12)}-${two(1, 28)}`;
  const time = `${two(0, 23)}:${two(0, 59)}:${two(0, 59)}Z`;
  const texts: Readonly<Record<string, string>> = {
    date,
    time,
    "date-time": `${date}T${time}`,
    duration: `PT${two(1, 59)}M`,
    email: `person${two(1, 99)}@example.com`,
    hostname: `host${two(1, 99)}.example.com`,
    uri: `https://example.com/${two(1, 99)}`,
    uuid: `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    ipv4: `192.0.2.${numberFrom(random, 1, 254)}`,
    ipv6: `2001:db8::${hex(4)}`,
  };
  return format === undefined ? undefined : texts[format];
}
