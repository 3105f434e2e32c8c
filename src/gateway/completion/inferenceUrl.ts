import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";

/** The endpoints of an inference service; empty for its base URL. */
type InferencePath = "/chat/completions" | "/models" | "";

/**
 * The URL of an endpoint under the base URL, which includes `/v1` (interface section 4.1). Trailing slashes,
 * surrounding whitespace and a pasted endpoint path are removed; a query is kept. Throws `configuration` if it isn't a
 * URL.
 */
export function createInferenceUrl(baseUrl: string, path: InferencePath): URL {
  const url = parseUrl(baseUrl.trim());
  const base = url.pathname.replace(/(?<!\/)\/+$/, "").replace(/\/(?:chat\/completions|models)$/, "");
  url.pathname = `${base}${path}`;
  url.hash = "";
  return url;
}

function parseUrl(baseUrl: string): URL {
  if (/^https?:\/\//i.test(baseUrl) && URL.canParse(baseUrl)) return new URL(baseUrl);
  throw new ServiceError({
    reason: "configuration",
    message: t("The profile's inference base URL isn't an HTTP or HTTPS URL. Correct it in the profile."),
  });
}
