import { findSecretsInCalls } from "./callSecrets.ts";
import { findCommandSecrets, findCookies } from "./commandSecrets.ts";
import {
  encodedTexts,
  findBasicCredentials,
  findBearers,
  findKubernetesSecrets,
  unescapeText,
} from "./encodedSecrets.ts";
import { findKeyBlocks } from "./keyBlocks.ts";
import { findKeyFormats } from "./keyFormats.ts";
import { findNamedSecrets } from "./namedSecrets.ts";
import {
  findPasswordsNearWords,
  findRandomVariables,
  findSecretsNearWords,
  findSeedPhrases,
  findForeignProse,
} from "./nearSecrets.ts";
import type { Pause } from "../../kernel/pause.ts";
import type { Scrutiny, SecretFinding, SecretSpan } from "./secretValue.ts";
import { mergeSpans } from "./secretValue.ts";
import {
  findDatabaseSecrets,
  findSecretSections,
  findSecretsInTables,
  findValuesBeforeNames,
} from "./tableSecrets.ts";
import { findUrlSecrets } from "./urlSecrets.ts";

/** UTF-16 units that are scanned in one go, which takes no more than a few milliseconds. */
const windowLength = 8_000;
/** The overlap of two windows, so that a secret at their border is found whole. */
const overlap = 2_000;

/** Texts that match none of these contain nothing that the scan finds. */
const hint =
  /[=:@_\\/"'`\d-]|[A-Za-z0-9+/]{16}|pass|pwd|key|token|secret|bearer|basic|credential|login|[^\u0000-\u007f]/i;

/**
 * Finds secrets in a text, in order and without overlaps. Each piece is scanned separately, so the time grows only
 * linearly with the length of the text, and other work can run between two pieces.
 */
export function* scanSecrets(
  text: string,
  scrutiny: Scrutiny = "careful",
): Generator<undefined, readonly SecretSpan[]> {
  if (text.length < 6 || !hint.test(text.slice(0, windowLength))) {
    if (text.length <= windowLength) return [];
  }
  const spans: SecretSpan[] = [...findKeyBlocks(text, scrutiny)];
  for (const [start, end] of windowsOf(text)) {
    if (start > 0) yield;
    for (const span of scanPiece(text.slice(start, end), scrutiny)) {
      spans.push({ kind: span.kind, start: span.start + start, end: span.end + start });
    }
  }
  let decodedLength = 0;
  for (const { decoded, span } of encodedTexts(text)) {
    if (isSecretText(decoded, scrutiny, 1)) spans.push(span);
    decodedLength += decoded.length;
    if (decodedLength < windowLength) continue;
    decodedLength = 0;
    yield;
  }
  return mergeSpans(spans);
}

/** Scans in one go, for short texts. */
export function findSecrets(text: string, scrutiny: Scrutiny = "careful"): readonly SecretSpan[] {
  const scan = scanSecrets(text, scrutiny);
  let step = scan.next();
  while (step.done !== true) step = scan.next();
  return step.value;
}

/** The text with everything that looks like a secret replaced by `mark`; the rest is unchanged. */
export function replaceSecrets(text: string, mark: string, scrutiny: Scrutiny): string {
  return replaceSpans(text, findSecrets(text, scrutiny), mark);
}

function replaceSpans(text: string, spans: readonly SecretSpan[], mark: string): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    parts.push(text.slice(from, start), mark);
    from = end;
  }
  return parts.join("") + text.slice(from);
}

/** Finds secrets in a text of any length, in slices between which the extension host can do other work. */
export async function findAllSecrets(text: string, pause: Pause): Promise<readonly SecretFinding[]> {
  const spans = await scanInSlices(text, "careful", pause);
  return spans.map(({ kind, start, end }) => ({ kind, value: text.slice(start, end) }));
}

/** Replaces anything that may be a secret by `mark`, in slices. For text from a server that is only displayed. */
export async function hideAllSecrets(text: string, mark: string, pause: Pause): Promise<string> {
  return replaceSpans(text, await scanInSlices(text, "strict", pause), mark);
}

async function scanInSlices(text: string, scrutiny: Scrutiny, pause: Pause): Promise<readonly SecretSpan[]> {
  const scan = scanSecrets(text, scrutiny);
  let step = scan.next();
  while (step.done !== true) {
    await pause();
    step = scan.next();
  }
  return step.value;
}

/** Pieces that start at the beginning of a line or a word, if there is one. */
function* windowsOf(text: string): Generator<readonly [start: number, end: number]> {
  let start = 0;
  while (true) {
    const end = Math.min(text.length, start + windowLength);
    yield [start, end];
    if (end === text.length) return;
    const next = end - overlap;
    const line = text.indexOf("\n", next);
    start = line !== -1 && line < next + overlap / 2 ? line : next;
  }
}

function scanPiece(piece: string, scrutiny: Scrutiny): readonly SecretSpan[] {
  return [...scanPlain(piece, scrutiny), ...scanEscaped(piece, scrutiny, 2)];
}

/** Finds secrets among the escapes of URLs, HTML or JSON in a piece, even if it is escaped twice. */
function scanEscaped(piece: string, scrutiny: Scrutiny, depth: number): readonly SecretSpan[] {
  const unescaped = depth === 0 ? undefined : unescapeText(piece);
  if (unescaped === undefined) return [];
  const { text } = unescaped;
  return [...scanPlain(text, scrutiny), ...scanEscaped(text, scrutiny, depth - 1)].map(
    ({ kind, start, end }) => ({
      kind,
      start: unescaped.originalOf(start),
      end: unescaped.originalOf(end),
    }),
  );
}

function scanPlain(piece: string, scrutiny: Scrutiny): readonly SecretSpan[] {
  return [
    ...findKeyFormats(piece, scrutiny),
    ...findNamedSecrets(piece, scrutiny),
    ...findUrlSecrets(piece, scrutiny),
    ...findCommandSecrets(piece, scrutiny),
    ...findCookies(piece),
    ...(scrutiny === "strict" ? findBearers(piece) : []),
    ...findRandomVariables(piece),
    ...findValuesBeforeNames(piece, scrutiny),
    ...findForeignProse(piece),
    ...findSecretsNearWords(piece),
    ...findPasswordsNearWords(piece),
    ...findSeedPhrases(piece),
    ...findSecretsInCalls(piece, scrutiny),
    ...findSecretSections(piece),
    ...findSecretsInTables(piece),
    ...findDatabaseSecrets(piece, scrutiny),
    ...findKubernetesSecrets(piece),
    ...findBasicCredentials(piece),
  ];
}

/** Whether the decoded text contains a secret, even if it is encoded once more. */
function isSecretText(text: string, scrutiny: Scrutiny, depth: number): boolean {
  // Scripts that a machine runs at its first boot often contain a secret.
  if (scrutiny === "strict" && /^(?:#!\/|#cloud-config|Content-Type: multipart)/.test(text)) return true;
  if (/^[\w.@+-]{1,60}:[^\s:]{6,200}$/.test(text) || findKeyBlocks(text, scrutiny).length > 0) return true;
  const head = text.slice(0, windowLength);
  if (scanPiece(head, scrutiny).length > 0) return true;
  if (depth >= 3) return false;
  for (const { decoded } of encodedTexts(head)) if (isSecretText(decoded, scrutiny, depth + 1)) return true;
  return false;
}
