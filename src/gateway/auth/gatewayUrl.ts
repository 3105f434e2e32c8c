import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { Parameter } from "./signature.ts";

/**
 * The URL of the server list for the profile's gateway URL (interface section 4.2). Trailing slashes, surrounding
 * whitespace and a pasted path of the interface are removed; a query is kept. Throws `configuration` if it isn't a URL.
 */
export function createServersUrl(gatewayUrl: string | undefined): URL {
  const text = gatewayUrl?.trim() ?? "";
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new ServiceError({
      reason: "configuration",
      message:
        text === ""
          ? t("The profile has no gateway URL, so there are no servers to list. Add it to the profile.")
          : t("The profile's gateway URL isn't an HTTP or HTTPS URL. Correct it in the profile."),
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

/**
 * Writes parameters as a query from which every server decodes the same raw values, however it treats `+` and `'`:
 * everything except the unreserved characters of RFC 3986 is percent-encoded, and a space becomes %20.
 */
export function createQuery(parameters: readonly Parameter[]): string {
  return parameters.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A lone surrogate can't be encoded as UTF-8, so it is replaced before signing, not after. */
export function wellFormed(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}
