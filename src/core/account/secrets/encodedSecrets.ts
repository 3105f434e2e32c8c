import { decodeBase64 } from "../../kernel/base64.ts";
import { withoutTail } from "./secretValue.ts";
import type { SecretSpan } from "./secretValue.ts";

/** Longer runs are files, images or programs. */
const longestRun = 64_000;
const run = /(?<![\w+/=.-])[\w+/-]{20,}={0,2}/g;

/** Runs of base64 in a text, with the decoded text of each. */
export function* encodedTexts(
  text: string,
): Generator<{ readonly decoded: string; readonly span: SecretSpan }> {
  for (const { 0: encoded, index } of text.matchAll(run)) {
    const decoded = encoded.length > longestRun ? undefined : decodeBase64Text(encoded);
    const span = { kind: "encoded secret", start: index, end: index + encoded.length };
    if (decoded !== undefined) yield { decoded, span };
  }
}

/** Values of a Kubernetes secret. Its names reveal nothing, and base64 hides nothing. */
export function findKubernetesSecrets(text: string): readonly SecretSpan[] {
  if (!/\bkind["']?[ \t]{0,4}:[ \t]{0,4}["']?Secret\b/.test(text)) return [];
  const spans: SecretSpan[] = [];
  for (const section of text.matchAll(
    /(?:^|\n)([ \t]{0,20})["']?(?:data|stringData)["']?[ \t]{0,4}:[ \t]{0,4}\{?[ \t]{0,4}\r?\n/g,
  )) {
    spans.push(...sectionValues(text, section.index + section[0].length, (section[1] ?? "").length));
  }
  return spans;
}

/** The values on the lines that are indented further than `indent`. */
function sectionValues(text: string, from: number, indent: number): readonly SecretSpan[] {
  const line =
    /([ \t]*)(["']?[\w.-]{1,253}["']?[ \t]{0,4}:[ \t]{0,4}["']?)?([^\s"'#|>][^\n"']*)?[^\n]*(?:\n|$)/y;
  const spans: SecretSpan[] = [];
  line.lastIndex = from;
  for (let match = line.exec(text); match !== null && match[0] !== ""; match = line.exec(text)) {
    const [whole, space = "", name = "", value = ""] = match;
    if (whole.trim() === "") continue;
    if (space.length <= indent || /^[}\]]/.test(value)) break;
    const bare = value.trimEnd().replace(/,$/, "");
    const start = match.index + space.length + name.length;
    if (bare.length >= 4 && !/^[$<{%[]/.test(bare))
      spans.push({ kind: "Kubernetes secret", start, end: start + bare.length });
  }
  return spans;
}

/** The decoded text; undefined if the bytes aren't text. */
function decodeBase64Text(encoded: string): string | undefined {
  const text = withoutTail(encoded, "=");
  // Most runs are something else, as their first bytes show.
  return decodeText(text.slice(0, 24)) === undefined ? undefined : decodeText(text);
}

function decodeText(encoded: string): string | undefined {
  const text = decodeBase64(encoded);
  if (text === undefined || text.includes("\0")) return undefined;
  const odd = text.match(/[^\t\n\r -~]/g)?.length ?? 0;
  return odd * 10 > text.length ? undefined : text;
}
