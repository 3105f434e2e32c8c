import type { BaseUrlRole } from "../account/baseUrl.ts";
import { readBaseUrl } from "../account/baseUrl.ts";
import { readHttpAddress } from "../kernel/httpAddress.ts";
import { isLoopbackHost } from "../kernel/loopback.ts";

/**
 * What the user most likely meant by a base URL that contains a common mistake. Undefined if it is already right, or if
 * that can't be determined. The result never contains a user name or a query with a credential.
 */
export function suggestBaseUrl(text: string, role: BaseUrlRole): string | undefined {
  const repaired = [stripQuotes, repairScheme, dropUserInfo, repairPath(role), secureScheme].reduce(
    (result, repair) => repair(result),
    text.trim(),
  );
  const { url } = readBaseUrl(repaired, role, false);
  return url === undefined || url === text ? undefined : url;
}

/** Pasted from a document or a chat: `<https://…>`, `"https://…"`, `https://…,`. */
function stripQuotes(text: string): string {
  return text
    .replace(/[\u200b-\u200f\u2060\ufeff]/g, "")
    .replace(/^[\s<("'`“”‘’]+|(?<![\s>)"'`“”‘’,;])[\s>)"'`“”‘’,;]+$/g, "")
    .replaceAll("\\", "/");
}

/** `gpu.example`, `https:/gpu.example`, `https//gpu.example`, `htps://gpu.example`, `//gpu.example`. */
function repairScheme(text: string): string {
  if (/^https?:\/\/[^/]/i.test(text)) return text;
  const match = /^(h?t{1,3}ps?|wss?)?(?::\/*|\/\/+)?(?=[\p{L}\p{N}[])(.+)$/iu.exec(text);
  const [, scheme, rest] = /^(?:h?t{1,3}ps?|wss?)[:/]/i.test(text) ? (match ?? []) : [];
  const authority = rest ?? text.replace(/^\/+/, "");
  if (scheme === undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  const host = /^(\[[^\]]*\]|[^:/?#]*)/.exec(authority)?.[1] ?? "";
  return `${isLoopbackHost(host) && !/s$/i.test(scheme ?? "") ? "http" : "https"}://${authority}`;
}

/** User names and passwords don't belong in settings. */
function dropUserInfo(text: string): string {
  return text.replace(/^(https?:\/\/)[^/?#]*@/i, "$1");
}

/** Removes what belongs to the other interface or is duplicated. */
function repairPath(role: BaseUrlRole): (text: string) => string {
  return (text) => {
    const [address = "", query] = (text.split("#", 1)[0] ?? "").split(/\?(.*)/s, 2);
    const path = address
      .replace(/(?<!\/)\/+$/, "")
      .replace(/([^:/])\/{2,}/g, "$1/")
      .replace(/(\/v1)(?:\/v1)+(?=\/|$)/i, "$1");
    if (role === "gateway")
      return path.replace(/\/(?:gpu(?:\/api(?:\/v1)?)?|api\/v1|v1)(?:\/servers)?$/i, "");
    const base = path.replace(/\/(?:chat(?:\/completions)?|completions|models|embeddings)$/i, "");
    const isBare = /^https?:\/\/[^/]+$/i.test(base);
    return `${base}${isBare ? "/v1" : ""}${query === undefined || hasCredential(query) ? "" : `?${query}`}`;
  };
}

/** Credentials are never sent over plain http to another machine. */
function secureScheme(text: string): string {
  const reading = readHttpAddress(text);
  if (!("address" in reading) || reading.address.scheme === "https") return text;
  if (isLoopbackHost(reading.address.host)) return text;
  return text.replace(/^http:/i, "https:").replace(/^(https:\/\/[^/:]+):80(?=\/|$)/, "$1");
}

function hasCredential(query: string): boolean {
  return readBaseUrl(`https://a.example/v1?${query}`, "inference", false).url === undefined;
}
