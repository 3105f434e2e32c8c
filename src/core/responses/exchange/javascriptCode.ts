import { isRecord } from "../../kernel/json.ts";
import type { CopyableHeader, CopyableRequest } from "./copyable.ts";
import { copyNotes } from "./copyable.ts";
import { quote } from "./jsonText.ts";

/** The request as a module for Node.js without anything installed. */
export function javascriptCode(request: CopyableRequest): string {
  const { method, url, headers, body, isStreamed } = request;
  const notes = copyNotes(request).map((note) => `// ${note}`);
  return [
    ...notes,
    `const body = ${javascriptValue(JSON.parse(body), "")};`,
    "",
    `const response = await fetch(${quote(url)}, {`,
    `  method: ${quote(method)},`,
    "  headers: {",
    ...headers.map((header) => `    ${quote(header.name)}: ${headerValue(header)},`),
    "  },",
    "  body: JSON.stringify(body),",
    "});",
    "if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);",
    ...(isStreamed
      ? [
          "for await (const text of response.body.pipeThrough(new TextDecoderStream())) process.stdout.write(text);",
        ]
      : ["console.log(await response.json());"]),
    "",
  ].join("\n");
}

function headerValue({ text, secret }: CopyableHeader): string {
  if (secret === undefined) return quote(text);
  const value = `process.env[${quote(secret.variable)}] ?? ${quote(secret.placeholder)}`;
  return text === "" ? value : `${quote(text)} + (${value})`;
}

function javascriptValue(value: unknown, indent: string): string {
  if (typeof value === "string") return quote(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => `${inner}${javascriptValue(item, inner)},\n`);
    return items.length === 0 ? "[]" : `[\n${items.join("")}${indent}]`;
  }
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${inner}${fieldName(name)}: ${javascriptValue(field, inner)},\n`,
  );
  return fields.length === 0 ? "{}" : `{\n${fields.join("")}${indent}}`;
}

/** A field `__proto__` would be no field but the object's prototype. */
function fieldName(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_]\w*$/.test(name) ? name : quote(name);
}
