import { findSecretsInCalls } from "./callSecrets.ts";
import { findCommandSecrets, findCookies } from "./commandSecrets.ts";
import { encodedTexts, findKubernetesSecrets } from "./encodedSecrets.ts";
import { findKeyBlocks } from "./keyBlocks.ts";
import { findKeyFormats } from "./keyFormats.ts";
import { findNamedSecrets } from "./namedSecrets.ts";
import {
  findPasswordsNearWords,
  findRandomVariables,
  findSecretsNearWords,
  findForeignProse,
} from "./nearSecrets.ts";
import type { Pause } from "../../kernel/pause.ts";
import { withoutPublic } from "./publicText.ts";
import type { Scrutiny, SecretFinding, SecretSpan } from "./secretValue.ts";
import { mergeSpans } from "./secretValue.ts";
import { findSecretsInTables } from "./tableSecrets.ts";
import { findUrlSecrets } from "./urlSecrets.ts";

/** UTF-16 units that are scanned in one go, which takes no more than a few milliseconds. */
const windowLength = 8_000;
/** The overlap of two windows, so that a secret at their border is found whole. */
const overlap = 2_000;

/**
 * Finds secrets in a text, in order and without overlaps. Each piece is scanned separately, so the time grows only
 * linearly with the length of the text, and other work can run between two pieces.
 */
export function* scanSecrets(
  text: string,
  scrutiny: Scrutiny = "careful",
): Generator<undefined, readonly SecretSpan[]> {
  if (text.includes("\0")) return yield* scanBetweenZeros(text, scrutiny);
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
  return mergeSpans(withoutPublic(text, spans));
}

/** UTF-16 that was read as another encoding has a zero after each letter, as in the output of some Windows programs. */
function* scanBetweenZeros(text: string, scrutiny: Scrutiny): Generator<undefined, readonly SecretSpan[]> {
  const positions: number[] = [];
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) !== 0) positions.push(at);
  const spans = yield* scanSecrets(text.replaceAll("\0", ""), scrutiny);
  return spans.map(({ kind, start, end }) => ({
    ...{ kind, start: positions[start] ?? text.length },
    end: (positions[end - 1] ?? text.length) + 1,
  }));
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

/** The text with each span replaced by `mark`. They are in order and don't overlap. */
export function replaceSpans(text: string, spans: readonly SecretSpan[], mark: string): string {
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
  return [
    ...findKeyFormats(piece, scrutiny),
    ...findNamedSecrets(piece, scrutiny),
    ...findUrlSecrets(piece, scrutiny),
    ...findCommandSecrets(piece, scrutiny),
    ...findCookies(piece),
    ...findRandomVariables(piece),
    ...findForeignProse(piece),
    ...findSecretsNearWords(piece),
    ...findPasswordsNearWords(piece),
    ...findSecretsInCalls(piece),
    ...findSecretsInTables(piece),
    ...findKubernetesSecrets(piece),
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
