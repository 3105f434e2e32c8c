import { isRecord } from "../../kernel/json.ts";
import { fieldsOf, quote } from "./jsonText.ts";

type Language = "python" | "javascript";

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
export function literal(language: Language, value: unknown, indent = ""): string {
  if (value instanceof RawText) return value.text;
  if (typeof value === "string") return quote(value);
  const inner = `${indent}${language === "python" ? "    " : "  "}`;
  if (!Array.isArray(value) && !isRecord(value)) {
    const word = JSON.stringify(value);
    return (language === "python" ? pythonWords[word] : undefined) ?? word;
  }
  const items = Array.isArray(value)
    ? value.map((item: unknown) => literal(language, item, inner))
    : fieldsOf(value).map(
        ([name, field]) => `${fieldName(language, name)}: ${literal(language, field, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const lines = items.map((item) => `${inner}${item},\n`).join("");
  return lines === "" ? `${open}${close}` : `${open}\n${lines}${indent}${close}`;
}

const pythonWords: Readonly<Record<string, string>> = { null: "None", true: "True", false: "False" };

/** A quoted `__proto__` would set the object's prototype instead. */
function fieldName(language: Language, name: string): string {
  if (language === "python") return quote(name);
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_]\w*$/.test(name) ? name : quote(name);
}

/** A call with named arguments: keywords in Python, an object in JavaScript. Arguments without a value are left out. */
export function call(language: Language, name: string, args: Readonly<Record<string, unknown>>): string {
  if (language === "javascript") return `${name}(${literal(language, args)})`;
  const lines = fieldsOf(args).map(([field, value]) => `    ${field}=${literal(language, value, "    ")},\n`);
  return `${name}(\n${lines.join("")})`;
}
