import { t } from "@vscode/l10n";
import type { BaseUrlRole } from "../account/baseUrl.ts";
import { isRecord } from "../kernel/json.ts";
import { parseProfiles } from "../account/parseProfiles.ts";
import type { Finding } from "./diagnosis.ts";
import { suggestBaseUrl } from "./suggestBaseUrl.ts";
import type { ReportRemedy } from "../account/remedies.ts";

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
