import { t } from "@vscode/l10n";
import { sanitizeLabel, escapeInvisible } from "../../kernel/foreignText.ts";
import { maskSecrets } from "../secretMask.ts";
import { maskSecretText } from "../secretText.ts";

/** A response of any kind, as received. */
export interface SignedResponse {
  readonly method: string;
  /** Without the credential. */
  readonly url: string;
  readonly statusCode: number;
  /** Milliseconds from sending the request to receiving the response headers. */
  readonly tookMs: number;
  readonly contentType?: string;
  readonly requestId?: string;
  readonly text: string;
  /** The meaning of an error status, as a sentence. */
  readonly problem?: string;
}

export interface ResponseDocument {
  readonly languageId: "jsonc" | "plaintext";
  readonly text: string;
}

/**
 * The response as a document: every digit as the server wrote it, secrets masked, and invisible characters made visible.
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
/** Marks a string that was a number. */
const numberMark = String.raw`\u0001`;
const markedNumbers = /"\\u0001(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"/g;

/**
 * The JSON on several lines, with secrets masked; undefined if the text isn't JSON. Numbers are converted to marked
 * strings, so that no digit beyond 2^53 or after the decimal point is lost.
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
