import { t } from "@vscode/l10n";
import { credentialNames } from "../../account/credentialPlaces.ts";
import { isSensitiveName } from "../../account/redaction.ts";
import { escapeInvisible, sanitizeLabel } from "../../kernel/foreignText.ts";
import { formatNumber } from "../../kernel/formatTime.ts";
import { parseQuery } from "../../kernel/httpAddress.ts";
import { isJson } from "../../kernel/json.ts";
import { maskRecord, maskSecretText } from "../secretMask.ts";

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

interface ResponseDocument {
  readonly languageId: "jsonc" | "plaintext";
  readonly text: string;
}

/**
 * The response as a document: every digit as the server wrote it, secrets masked, and invisible characters made
 * visible.
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
    t("{0} ms", formatNumber(Math.round(tookMs))),
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
    return JSON.stringify(maskRecord(value), undefined, 2).replace(markedNumbers, "$1");
  } catch {
    return undefined;
  }
}

/** The methods of a custom request that can be signed. */
export const requestMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] as const;

/** The services that a custom request can be sent to. */
export const requestBases = ["gateway", "inference"] as const;
/** Whether the inference service receives it with the API key, or the gateway with a signature. */
export type RequestBase = (typeof requestBases)[number];

/** The method of a custom signed request. */
export type RequestMethod = (typeof requestMethods)[number];

/** A raw name and value, as the server sees them after decoding the query. */
export type RequestParameter = readonly [name: string, value: string];

/** A user's request to the gateway that isn't in the interface; the credential is added later. */
export interface SignedRequestDraft {
  /** Goes to the inference service with the API key, instead of to the gateway with a signature. */
  readonly base?: "inference";
  readonly method: RequestMethod;
  /** Relative to the URL of the gateway or the inference service; starts with a slash and has no query. */
  readonly path: string;
  readonly parameters: readonly RequestParameter[];
  readonly body?: string;
  /** Whether it is sent once even if it is refused or the connection is lost, because it changes a server. */
  readonly isOnce?: boolean;
}

/** The path and the parameters after its question mark, or a sentence that explains what is wrong. */
type PathResult =
  { readonly path: string; readonly parameters: readonly RequestParameter[] } | { readonly problem: string };

/**
 * Parses a path entered by the user. It must stay below the profile's address, without another host or `..` segments.
 * @param address What the path follows. It isn't doubled if the user entered it, too, or only its own path.
 */
export function readRequestPath(text: string, address = ""): PathResult {
  const bases = [address, address.replace(/^https?:\/\/[^/]*/i, "")].map((base) => base.replace(/\/$/, ""));
  const known = bases.find((base) => base !== "" && text.trim().startsWith(`${base}/`)) ?? "";
  const trimmed = text.trim().slice(known.length);
  const [path = "", query = ""] = trimmed.split(/\?(.*)/s, 2);
  if (path === "" || path === "/")
    return { problem: t("Enter a path, such as /gpu/api/v1/servers or /embeddings.") };
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(path)) {
    return { problem: t("Enter only the path. The request goes to the profile's own address.") };
  }
  if (!path.startsWith("/")) return { problem: t("The path must begin with a slash.") };
  if (/[\s\\#\p{Cc}\p{Cf}]/u.test(path)) return { problem: t("The path contains invalid characters.") };
  if (path.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    return { problem: t("The path must not contain “..”.") };
  }
  const reading = readParameters(query);
  return "problem" in reading ? reading : { path, parameters: reading.parameters };
}

/** Parses `name=value&name=value`; percent and plus signs have the same meaning as in a query. */
export function readParameters(
  text: string,
): { readonly parameters: readonly RequestParameter[] } | { readonly problem: string } {
  const parameters = parseQuery(text.trim().replace(/^\?/, ""));
  const refused = parameters.find(
    ([name]) => credentialNames.parameters.has(name.toLowerCase()) || isSensitiveName(name),
  );
  if (refused === undefined) return { parameters };
  return {
    problem: t("The parameter {0} is part of the credential, which is added automatically.", refused[0]),
  };
}

/** The parameters as a readable query. */
export function parametersText(parameters: readonly RequestParameter[]): string {
  return parameters.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
}

/** Encodes only what would end a parameter. */
function encode(text: string): string {
  return text.replace(/[%&+=#\s]/g, (character) => encodeURIComponent(character));
}

/** A sentence if the body isn't valid JSON. It may be empty. */
export function bodyProblem(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  return isJson(text) ? undefined : t("The body isn't JSON.");
}
