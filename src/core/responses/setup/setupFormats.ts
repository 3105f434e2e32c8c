import { isRecord } from "../../kernel/json.ts";
import { quote } from "../exchange/jsonText.ts";

/** Text that is already in the notation of its language, such as a variable. */
export class RawText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Lines of comments. A comment stays on its line, whatever a name in it contains. */
export function comments(mark: "#" | "//", lines: readonly string[]): string {
  // Nothing is escaped but what would end the line: a path with doubled backslashes isn't the path.
  const text = (line: string): string =>
    quote(line)
      .slice(1, -1)
      .replace(/\\(["\\])/g, "$1");
  return lines.map((line) => `${mark} ${text(line)}\n`).join("");
}

/** YAML in block style with quoted texts, so that none becomes a number, a reference, or a comment. */
export function yamlText(value: unknown, indent = ""): string {
  if (value instanceof RawText) return ` ${value.text}\n`;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => `${indent}- ${yamlText(item, inner).trimStart()}`);
    return items.length === 0 ? " []\n" : `\n${items.join("")}`;
  }
  if (!isRecord(value)) return ` ${typeof value === "string" ? quote(value) : JSON.stringify(value)}\n`;
  const fields = fieldsOf(value).map(
    ([name, field]) => `${indent}${yamlKey(name)}:${yamlText(field, inner)}`,
  );
  return fields.length === 0 ? " {}\n" : `\n${fields.join("")}`;
}

function yamlKey(name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(name)
    ? name
    : quote(name);
}

/** A literal in Python or JavaScript. JSON's escapes mean the same in both. */
export function literal(language: "python" | "javascript", value: unknown, indent = ""): string {
  if (value instanceof RawText) return value.text;
  if (typeof value === "string") return quote(value);
  if (typeof value === "boolean" && language === "python") return value ? "True" : "False";
  const inner = `${indent}${language === "python" ? "    " : "  "}`;
  if (Array.isArray(value)) return `[${value.map((item) => literal(language, item, indent)).join(", ")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = fieldsOf(value).map(
    ([name, field]) => `${inner}${fieldName(language, name)}: ${literal(language, field, inner)},\n`,
  );
  return fields.length === 0 ? "{}" : `{\n${fields.join("")}${indent}}`;
}

/** A quoted `__proto__` would set the object's prototype instead. */
function fieldName(language: "python" | "javascript", name: string): string {
  if (language === "python") return quote(name);
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_]\w*$/.test(name) ? name : quote(name);
}

/** A call with named arguments: keywords in Python, an object in JavaScript. Arguments without a value are left out. */
export function call(
  language: "python" | "javascript",
  name: string,
  args: Readonly<Record<string, unknown>>,
): string {
  if (language === "javascript") return `${name}(${literal(language, args)})`;
  const lines = fieldsOf(args).map(([field, value]) => `    ${field}=${literal(language, value, "    ")},\n`);
  return `${name}(\n${lines.join("")})`;
}

function fieldsOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, field]) => field !== undefined);
}
