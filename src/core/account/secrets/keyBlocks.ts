import type { Scrutiny, SecretSpan } from "./secretValue.ts";

/** The first and last line of a private key as PEM, PGP and SSH write them. */
const edge =
  /-{4,5} ?(BEGIN|END) ((?:[A-Z0-9]{1,12} ){0,5}PRIVATE KEY(?: BLOCK)?|SSH2 ENCRYPTED PRIVATE KEY) ?-{4,5}/g;
/**
 * Any such line, including those of certificates and public keys, so that anything that isn't a private key ends there.
 */
const anyEdge = /-{4,5} ?(?:BEGIN|END) [A-Z0-9 ]{1,60}-{4,5}/g;

/** Longer ones aren't keys. */
const longestKey = 20_000;
const longestLine = 4_000;

/** A line of a key's body; in JSON or code strings, line ends are written as `\n`. */
const bodyLine = /^[ \t"'`>|,*#;-]{0,12}\+?[A-Za-z0-9+/=]{1,4000}(?:\\n|[ \t"'`,;\\]){0,12}$/;
const headerLine =
  /^[ \t"'`>#]{0,12}(?:Proc-Type|DEK-Info|Comment|Version|Subject|X-[\w-]{1,30}|Hash|Charset):[^\n]{0,300}$|^[ \t"'`>#]{0,12}$/;

/** The start of a body: DER of RSA, EC and PKCS #8, or OpenSSH. */
const bodyStart =
  /(?<![A-Za-z0-9+/])(?:MII[A-Z][\w+/]{40}|MHcCAQEE[\w+/]{24}|MIGHAgEA[\w+/]{24}|MC4CAQAw[\w+/]{24}|MHQCAQEE[\w+/]{24}|MIGkAgEB[\w+/]{24}|b3BlbnNzaC1rZXktdj[\w+/]{24})/g;

/** Version 0 in PKCS #1 and #8, or an encrypted PKCS #8. */
const privateBody = /^MII..[AQgw]IBA[AD]|BgkqhkiG9w0BBQ/;

/** Finds private keys as blocks of lines: complete, or missing their first line, last line or both. */
export function findKeyBlocks(text: string, scrutiny: Scrutiny): readonly SecretSpan[] {
  if (!/PRIVATE|PuTTY|MII|MHcC|MIGH|MC4C|MHQC|MIGk|b3Blbn/.test(text)) return [];
  return [...edgedBlocks(text, scrutiny), ...puttyKeys(text), ...bareBodies(text)];
}

function edgedBlocks(text: string, scrutiny: Scrutiny): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  const begins: number[] = [];
  let open: number | undefined;
  for (const match of text.matchAll(edge)) {
    const { index } = match;
    const after = index + match[0].length;
    if (match[1] === "BEGIN") {
      if (open !== undefined) spans.push(block(open, bodyEnd(text, open, index)));
      open = index;
      begins.push(index);
    } else if (open !== undefined && index - open < longestKey) {
      spans.push(block(open, after));
      open = undefined;
    } else {
      const start = bodyBegin(text, index, spans.at(-1)?.end ?? 0);
      if (start < index) spans.push(block(start, after));
      open = undefined;
    }
  }
  if (open !== undefined) spans.push(block(open, bodyEnd(text, open, text.length)));
  // A sentence that mentions the first line of a key isn't a key.
  const shortest = scrutiny === "strict" ? /[A-Za-z0-9+/]{4}/ : /[A-Za-z0-9+/]{16}/;
  return spans.filter(({ start, end }) => shortest.test(text.slice(start, end).replaceAll(anyEdge, "")));
}

/** The end of the last line that can belong to the key starting at `start`, at most `limit`. */
function bodyEnd(text: string, start: number, limit: number): number {
  const stop = Math.min(limit, start + longestKey);
  let end = lineEnd(text, start);
  // A key on one line, as in a JSON string.
  if (end - start > 120) return Math.min(stop, end);
  while (end < stop) {
    const next = lineEnd(text, end + 1);
    const line = text.slice(end + 1, Math.min(next, end + 1 + longestLine));
    if (!bodyLine.test(line.trimEnd()) && !headerLine.test(line.trimEnd())) break;
    end = next;
  }
  return Math.min(end, stop);
}

/** The start of the first line that can belong to the key whose last line starts at `end`, at least `limit`. */
function bodyBegin(text: string, end: number, limit: number): number {
  let start = lineStart(text, end);
  const run = runBefore(text, end, Math.max(start, limit, end - longestLine));
  if (end - run >= 40) return run;
  const floor = Math.max(limit, end - longestKey);
  while (start > floor) {
    const before = lineStart(text, start - 1);
    if (start - before > longestLine) break;
    const line = text.slice(before, start - 1).trimEnd();
    if (line.trim() === "" || !bodyLine.test(line)) break;
    start = before;
    if (before === 0) break;
  }
  return Math.max(start, floor);
}

/** Where the base64 that extends up to `end` begins, including the line ends of a string. */
function runBefore(text: string, end: number, floor: number): number {
  let at = end;
  while (at > floor && /[A-Za-z0-9+/=\\]/.test(text.charAt(at - 1))) at--;
  return at;
}

function puttyKeys(text: string): readonly SecretSpan[] {
  return [...text.matchAll(/Private-Lines: {0,4}\d{1,3}[ \t]{0,8}\r?\n/g)].map(({ 0: head, index }) => {
    const start = index + head.length;
    return block(start, bodyEnd(text, start - 1, text.length));
  });
}

/** A body alone: one line that starts like a key, and the lines that follow. */
function bareBodies(text: string): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { index } of text.matchAll(bodyStart)) {
    if (index < (spans.at(-1)?.end ?? 0)) continue;
    const end = bodyEnd(text, index, text.length);
    // Certificates begin with the same bytes. A private key is recognized by its version, 0.
    if (text.startsWith("MII", index) && !privateBody.test(text.slice(index, index + 44))) continue;
    spans.push(block(index, Math.max(end, index + 44)));
  }
  return spans;
}

/** The end of the line that contains `from`. A line longer than any key ends at the length of the longest key. */
function lineEnd(text: string, from: number): number {
  const end = text.slice(from, from + longestKey).indexOf("\n");
  return Math.min(text.length, from + (end === -1 ? longestKey : end));
}

function lineStart(text: string, end: number): number {
  const from = Math.max(0, end - longestLine - 1);
  return from + text.slice(from, end).lastIndexOf("\n") + 1;
}

function block(start: number, end: number): SecretSpan {
  return { kind: "Private key", start, end };
}
