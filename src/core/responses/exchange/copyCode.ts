import type { SentRequest } from "../../conversation/completion.ts";
import { isRecord } from "../../kernel/json.ts";
import { copyableRequest, copyNotes } from "./copyable.ts";
import type { CopyableHeader, CopyableRequest } from "./copyable.ts";
import { quote } from "./jsonText.ts";
import { pythonCode } from "./pythonCode.ts";

/** In UTF-16 units; the kernel accepts no argument above 128 kB. */
const longestArgument = 30_000;

/** The request as a command for a POSIX shell. When it is pasted, nothing except the key's variable is expanded. */
function curlCode(request: CopyableRequest): string {
  const { method, url, headers, body, isStreamed } = request;
  const isLong = body.length > longestArgument;
  const parts = [
    `curl${isStreamed ? " --no-buffer" : ""} --request ${shellWord(method)} --url ${shellWord(url)}`,
    // Otherwise, curl treats brackets and braces in a URL as a pattern.
    "--globoff",
    ...headers.map((header) => `--header ${headerWord(header)}`),
    isLong ? "--data-binary @- <<'JSON'" : `--data-raw ${shellWord(body)}`,
  ];
  const notes = copyNotes(request).map((note) => `# ${note}\n`);
  // A line of JSON text can never be the delimiter, because JSON strings contain no line ends.
  return `${notes.join("")}${parts.join(" \\\n  ")}\n${isLong ? `${body}\nJSON\n` : ""}`;
}

/**
 * The text as one word of a POSIX shell. `'` closes the quotes, is escaped, and reopens them. Everything else inside
 * the quotes is literal.
 */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text) && !text.startsWith("-")) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function headerWord({ name, text, secret }: CopyableHeader): string {
  const plain = shellWord(`${name}: ${text}`);
  return secret === undefined ? plain : `${plain}"\${${secret.variable}:-${secret.placeholder}}"`;
}

/** What a request can be copied as: a command line, or a program that needs no packages. */
export type CodeLanguage = "curl" | "python" | "javascript";

/** The request as code that sends it again, with placeholders for its credentials. */
export function requestCode(request: SentRequest, language: CodeLanguage): string {
  const copyable = copyableRequest(request);
  switch (language) {
    case "curl":
      return curlCode(copyable);
    case "python":
      return pythonCode(copyable);
    case "javascript":
      return javascriptCode(copyable);
  }
}

/** The request as a Node.js module without dependencies. */
function javascriptCode(request: CopyableRequest): string {
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

/** A `__proto__` field would set the object's prototype instead. */
function fieldName(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_]\w*$/.test(name) ? name : quote(name);
}
