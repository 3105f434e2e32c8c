import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";

/**
 * The URL of the server list under the profile's gateway URL (interface section 4.2). Slashes at its end, white space
 * around it and a pasted path of the interface do no harm; a query is kept. Throws `configuration` where it is no URL.
 */
export function createServersUrl(gatewayUrl: string | undefined): URL {
  const text = gatewayUrl?.trim() ?? "";
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new ServiceError({
      reason: "configuration",
      message:
        text === ""
          ? t("The profile has no gateway URL, so there are no servers to list. Add it to the profile.")
          : t("The gateway URL of the profile is not an http or https URL. Correct it in the profile."),
    });
  }
  const url = new URL(text);
  const base = url.pathname.replace(/(?<!\/)\/+$/, "").replace(/\/gpu\/api\/v1(?:\/servers)?$/, "");
  url.pathname = `${base}/gpu/api/v1/servers`;
  url.hash = "";
  url.username = "";
  url.password = "";
  return url;
}
