import { t } from "@vscode/l10n";
import { sanitizeLabel, escapeInvisible } from "../../kernel/foreignText.ts";
import { maskSecrets } from "../secretMask.ts";
import { maskSecretText } from "../secretText.ts";

/** A response of any kind, as it came. */
export interface SignedResponse {
  readonly method: string;
  /** Without the credential. */
  readonly url: string;
  readonly statusCode: number;
  /** Milliseconds from the sending to the head of the response. */
  readonly tookMs: number;
  readonly contentType?: string;
  readonly requestId?: string;
  readonly text: string;
  /** What a status other than success means, as a sentence. */
  readonly problem?: string;
}

export interface ResponseDocument {
  readonly languageId: "jsonc" | "plaintext";
  readonly text: string;
}

/**
 * The response as a document: every digit as the server wrote it, secrets masked, nothing in it that the eye can't see.
 */
export function responseDocument(answer: SignedResponse): ResponseDocument {
  const json = exactJsonText(answer.text);
  const head = headOf(answer).map((line) => `// ${sanitizeLabel(line, 2_000)}`);
  const body = json ?? maskSecretText(answer.text);
  return {
    languageId: json === undefined ? "plaintext" : "jsonc",
    text: `${head.join("\n")}\n\n${escapeInvisible(body)}\n`,
  };
}

function headOf({ method, url, statusCode, tookMs, contentType, requestId, problem }: SignedResponse) {
  const facts = [
    String(statusCode),
    t("{0} ms", Math.round(tookMs)),
    contentType,
    requestId === undefined ? undefined : t("request ID {0}", requestId),
  ];
  return [
    maskSecretText(`${method} ${url}`),
    facts.filter((fact) => fact !== undefined && fact !== "").join(" · "),
    ...(problem === undefined ? [] : [problem]),
    t("Secrets are masked."),
  ];
}

/** Strings, and the numbers between them. */
const tokens = /"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Says of a string that it was a number. */
const numberMark = String.raw`\u0001`;
const markedNumbers = /"\\u0001(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"/g;

/**
 * The JSON over several lines, with secrets masked; undefined for what is none. Numbers travel as marked strings, so
 * that none loses a digit beyond 2^53 or behind the point.
 */
export function exactJsonText(text: string): string | undefined {
  const marked = text
    .replace(/^\ufeff/, "")
    .replace(tokens, (token) => (token.startsWith('"') ? token : `"${numberMark}${token}"`));
  try {
    const value: unknown = JSON.parse(marked);
    return JSON.stringify(maskSecrets(value), undefined, 2).replace(markedNumbers, "$1");
  } catch {
    return undefined;
  }
}
