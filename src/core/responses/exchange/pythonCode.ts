import { isRecord } from "../../kernel/json.ts";
import type { CopyableHeader, CopyableRequest } from "./copyable.ts";
import { copyNotes } from "./copyable.ts";
import { quote } from "./jsonText.ts";

/** The request as a program for Python 3 and its standard library. */
export function pythonCode(request: CopyableRequest): string {
  const { method, url, headers, body, isStreamed } = request;
  const notes = copyNotes(request).map((note) => `# ${note}`);
  return [
    ...notes,
    "import json",
    "import os",
    "import urllib.request",
    "",
    `body = ${pythonValue(JSON.parse(body), "")}`,
    "",
    "request = urllib.request.Request(",
    `    ${pythonString(url)},`,
    "    data=json.dumps(body).encode(),",
    "    headers={",
    ...headers.map((header) => `        ${pythonString(header.name)}: ${headerValue(header)},`),
    "    },",
    `    method=${pythonString(method)},`,
    ")",
    "",
    "with urllib.request.urlopen(request, timeout=600) as response:",
    ...(isStreamed
      ? ["    for line in response:", '        print(line.decode(), end="", flush=True)']
      : ["    print(response.read().decode())"]),
    "",
  ].join("\n");
}

function headerValue({ text, secret }: CopyableHeader): string {
  if (secret === undefined) return pythonString(text);
  const value = `os.environ.get(${pythonString(secret.variable)}, ${pythonString(secret.placeholder)})`;
  return text === "" ? value : `${pythonString(text)} + ${value}`;
}

function pythonValue(value: unknown, indent: string): string {
  if (typeof value === "string") return pythonString(value);
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  const inner = `${indent}    `;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => `${inner}${pythonValue(item, inner)},\n`);
    return items.length === 0 ? "[]" : `[\n${items.join("")}${indent}]`;
  }
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${inner}${pythonString(name)}: ${pythonValue(field, inner)},\n`,
  );
  return fields.length === 0 ? "{}" : `{\n${fields.join("")}${indent}}`;
}

/** JSON's escapes mean the same in Python. */
function pythonString(text: string): string {
  return quote(text);
}
