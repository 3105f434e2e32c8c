import type { CopyableHeader, CopyableRequest } from "./copyable.ts";
import { copyNotes } from "./copyable.ts";

/** In UTF-16 units: a kernel takes no argument above 128 kB. */
const longestArgument = 30_000;

/** The request as a command for a POSIX shell. Pasted into it, nothing but the key's variable is expanded. */
export function curlCode(request: CopyableRequest): string {
  const { method, url, headers, body, isStreamed } = request;
  const isLong = body.length > longestArgument;
  const parts = [
    `curl${isStreamed ? " --no-buffer" : ""} --request ${shellWord(method)} --url ${shellWord(url)}`,
    // Brackets and braces in a URL are a pattern to curl otherwise.
    "--globoff",
    ...headers.map((header) => `--header ${headerWord(header)}`),
    isLong ? "--data-binary @- <<'JSON'" : `--data-raw ${shellWord(body)}`,
  ];
  const notes = copyNotes(request).map((note) => `# ${note}\n`);
  // A line of JSON text never is the word that ends it: strings have no line ends in JSON.
  return `${notes.join("")}${parts.join(" \\\n  ")}\n${isLong ? `${body}\nJSON\n` : ""}`;
}

/** `'` ends the quotes, stands escaped, and begins them anew; everything else means itself between them. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text) && !text.startsWith("-")) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function headerWord({ name, text, secret }: CopyableHeader): string {
  const plain = shellWord(`${name}: ${text}`);
  return secret === undefined ? plain : `${plain}"\${${secret.variable}:-${secret.placeholder}}"`;
}
