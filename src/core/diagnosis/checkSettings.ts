import { t } from "@vscode/l10n";
import { readBaseUrl } from "../account/baseUrl.ts";
import type { BaseUrlRole } from "../account/baseUrl.ts";
import { parseProfiles } from "../account/parseProfiles.ts";
import { removeInvisible } from "../kernel/foreignText.ts";
import type { ReportRemedy } from "../account/remedies.ts";
import { readHttpAddress, isLoopbackHost } from "../kernel/httpAddress.ts";
import { isRecord } from "../kernel/json.ts";
import type { Finding } from "./diagnosis.ts";

const options: readonly (readonly ["inferenceBaseUrl" | "gatewayUrl", BaseUrlRole])[] = [
  ["inferenceBaseUrl", "inference"],
  ["gatewayUrl", "gateway"],
];

/**
 * Checks one entry of the setting `inferenceGateway.profiles` as the user wrote it: what is wrong with it, and what was
 * meant if that can be determined. Messages never repeat a value that may be a secret.
 */
export function checkSettings(entry: unknown, profileName: string): Finding {
  const { problems } = parseProfiles([entry]);
  const swapped = isRecord(entry) ? swapRemedy(entry, profileName) : undefined;
  const remedies =
    swapped ??
    (isRecord(entry) ? options.flatMap(([name, role]) => suggestFix(entry, name, role, profileName)) : []);
  if (problems.length === 0 && remedies.length === 0) {
    return { status: "passed", summary: t("The profile's settings are valid.") };
  }
  return {
    status: isUsable(entry) ? "warning" : "failed",
    summary:
      problems.length === 0
        ? t("The settings work, but a URL isn't in the expected format.")
        : problems.join(" "),
    remedies,
  };
}

function isUsable(entry: unknown): boolean {
  const [profile] = parseProfiles([entry]).profiles;
  if (profile === undefined || !isRecord(entry)) return false;
  return options.every(([name]) => isEmpty(entry[name]) || profile[name] !== undefined);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function suggestFix(
  entry: Readonly<Record<string, unknown>>,
  name: "inferenceBaseUrl" | "gatewayUrl",
  role: BaseUrlRole,
  profileName: string,
): readonly ReportRemedy[] {
  const text = entry[name];
  if (typeof text !== "string" || text.trim() === "") return [];
  const suggested = suggestBaseUrl(text, role);
  const isAccepted = entry["allowInsecureHttp"] === true && /^\s*http:/i.test(text);
  if (suggested === undefined || isAccepted) return [];
  return [changeRemedy(profileName, name, suggested)];
}

/** Offers to swap the two addresses. */
function swapRemedy(
  entry: Readonly<Record<string, unknown>>,
  profileName: string,
): readonly ReportRemedy[] | undefined {
  const { inferenceBaseUrl, gatewayUrl } = entry;
  if (typeof inferenceBaseUrl !== "string" || typeof gatewayUrl !== "string") return undefined;
  if (
    !/\/gpu(?:\/|$)/i.test(inferenceBaseUrl) ||
    !/\/v1(?:\/(?!servers)|$)/i.test(gatewayUrl.replace(/\/gpu\/api\/v1/i, ""))
  )
    return undefined;
  const change = {
    inferenceBaseUrl: suggestBaseUrl(gatewayUrl, "inference") ?? gatewayUrl,
    gatewayUrl: suggestBaseUrl(inferenceBaseUrl, "gateway") ?? inferenceBaseUrl,
  };
  return [{ remedy: "changeProfile", label: t("Swap the two URLs"), profileName, change }];
}

/** Offers to write an address into the profile. */
export function changeRemedy(
  profileName: string,
  name: "inferenceBaseUrl" | "gatewayUrl",
  url: string,
): ReportRemedy {
  return {
    remedy: "changeProfile",
    label: t("Change “{0}” to {1}", name, url),
    profileName,
    change: { [name]: url },
  };
}

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
  return removeInvisible(text)
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

/** Credentials are never sent over plain HTTP to another machine. */
function secureScheme(text: string): string {
  const reading = readHttpAddress(text);
  if (!("address" in reading) || reading.address.scheme === "https") return text;
  if (isLoopbackHost(reading.address.host)) return text;
  return text.replace(/^http:/i, "https:").replace(/^(https:\/\/[^/:]+):80(?=\/|$)/, "$1");
}

function hasCredential(query: string): boolean {
  return readBaseUrl(`https://a.example/v1?${query}`, "inference", false).url === undefined;
}
