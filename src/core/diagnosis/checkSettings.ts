import { t } from "@vscode/l10n";
import { parseProfiles } from "../account/parseProfiles.ts";
import type { ReportRemedy } from "../account/remedies.ts";
import { isRecord } from "../kernel/json.ts";
import type { Finding } from "./diagnosis.ts";

const addresses = ["inferenceBaseUrl", "gatewayUrl"] as const;

/**
 * Checks one entry of the setting `inferenceGateway.profiles` as the user wrote it. Messages never repeat a value that
 * may be a secret.
 */
export function checkSettings(entry: unknown, profileName: string): Finding {
  const { problems, profiles } = parseProfiles([entry]);
  const fields = isRecord(entry) ? entry : {};
  const remedies = swapRemedy(fields, profileName);
  if (problems.length === 0 && remedies.length === 0) {
    return { status: "passed", summary: t("The profile's settings are valid.") };
  }
  const [profile] = profiles;
  const isUsable =
    profile !== undefined &&
    addresses.every((name) => (fields[name] ?? "") === "" || profile[name] !== undefined);
  return {
    status: isUsable ? "warning" : "failed",
    summary: problems.length === 0 ? t("The two URLs may have been swapped.") : problems.join(" "),
    remedies,
  };
}

/** Offers to swap the two addresses. */
function swapRemedy(
  { inferenceBaseUrl, gatewayUrl }: Readonly<Record<string, unknown>>,
  profileName: string,
): readonly ReportRemedy[] {
  if (typeof inferenceBaseUrl !== "string" || typeof gatewayUrl !== "string") return [];
  const isSwapped =
    /\/gpu(?:\/|$)/i.test(inferenceBaseUrl) &&
    /\/v1(?:\/(?!servers)|$)/i.test(gatewayUrl.replace(/\/gpu\/api\/v1/i, ""));
  if (!isSwapped) return [];
  // What is written is read as the other kind of address, without the paths that belong to it.
  const [swapped] = parseProfiles([
    { name: profileName, inferenceBaseUrl: gatewayUrl, gatewayUrl: inferenceBaseUrl },
  ]).profiles;
  const change = {
    inferenceBaseUrl: swapped?.inferenceBaseUrl ?? gatewayUrl,
    gatewayUrl: swapped?.gatewayUrl ?? inferenceBaseUrl,
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
