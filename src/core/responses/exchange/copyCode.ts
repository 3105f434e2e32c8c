import { shellWord } from "../../kernel/shellWord.ts";
import type { SentRequest } from "../../conversation/completion.ts";
import { comments, literal } from "./codeText.ts";
import { copyableRequest, copyNotes } from "./copyable.ts";
import type { CopyableHeader, CopyableRequest } from "./copyable.ts";
import { quote } from "./jsonText.ts";

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
  // A line of JSON text can never be the delimiter, because JSON strings contain no line ends.
  return `${comments("#", copyNotes(request))}${parts.join(" \\\n  ")}\n${isLong ? `${body}\nJSON\n` : ""}`;
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
  const headerLines = headers.map(
    (header) =>
      `    ${quote(header.name)}: ${headerValue(header, (name, placeholder) => `(process.env[${name}] ?? ${placeholder})`)},`,
  );
  const code = [
    `const body = ${literal("javascript", JSON.parse(body))};`,
    "",
    `const response = await fetch(${quote(url)}, {`,
    `  method: ${quote(method)},`,
    "  headers: {",
    ...headerLines,
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
  return `${comments("//", copyNotes(request))}${code}`;
}

/** The request as a program for Python 3 and its standard library. */
function pythonCode(request: CopyableRequest): string {
  const { method, url, headers, body, isStreamed } = request;
  const headerLines = headers.map(
    (header) =>
      `        ${quote(header.name)}: ${headerValue(header, (name, placeholder) => `os.environ.get(${name}, ${placeholder})`)},`,
  );
  const code = [
    "import json",
    "import os",
    "import urllib.request",
    "",
    `body = ${literal("python", JSON.parse(body))}`,
    "",
    "request = urllib.request.Request(",
    `    ${quote(url)},`,
    "    data=json.dumps(body).encode(),",
    "    headers={",
    ...headerLines,
    "    },",
    `    method=${quote(method)},`,
    ")",
    "",
    "with urllib.request.urlopen(request, timeout=600) as response:",
    ...(isStreamed
      ? ["    for line in response:", '        print(line.decode(), end="", flush=True)']
      : ["    print(response.read().decode())"]),
    "",
  ].join("\n");
  return `${comments("#", copyNotes(request))}${code}`;
}

/** @param lookUp Reads the variable with this quoted name, or else takes the quoted placeholder. */
function headerValue(
  { text, secret }: CopyableHeader,
  lookUp: (name: string, placeholder: string) => string,
): string {
  if (secret === undefined) return quote(text);
  const value = lookUp(quote(secret.variable), quote(secret.placeholder));
  return text === "" ? value : `${quote(text)} + ${value}`;
}
