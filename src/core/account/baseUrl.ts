import { t } from "@vscode/l10n";
import { readHttpAddress, isLoopbackHost } from "../kernel/httpAddress.ts";
import type { AddressProblem, HttpAddress } from "../kernel/httpAddress.ts";
import { isSensitiveName } from "./redaction.ts";

/** The two addresses of a profile (interface, its first paragraph). */
export type BaseUrlRole = "inference" | "gateway";

/**
 * A base URL as it is used: without trailing slashes or a pasted endpoint. `problem` alone means that the URL can't be
 * used; alongside a `url`, it is advice. Either way it is a full sentence that never repeats the URL, which may contain
 * a secret.
 */
interface BaseUrlReading {
  readonly url?: string;
  readonly problem?: string;
}

const endpoints: Readonly<Record<BaseUrlRole, RegExp>> = {
  inference: /\/(?:chat\/completions|completions|models)$/i,
  gateway: /\/gpu\/api\/v1(?:\/servers)?$/i,
};

/** Reads a base URL entered by the user (interface sections 4.1 and 4.2). */
export function readBaseUrl(text: string, role: BaseUrlRole, allowInsecureHttp: boolean): BaseUrlReading {
  const reading = readHttpAddress(text);
  if ("problem" in reading) return { problem: problems[reading.problem]() };
  const { address } = reading;
  const refusal = refuseQuery(address, role);
  if (refusal !== undefined) return { problem: refusal };
  const path = address.path
    .replace(/(?<!\/)\/+$/, "")
    .replace(endpoints[role], "")
    .replace(/(?<!\/)\/+$/, "");
  const query = address.query ? `?${address.query}` : "";
  const advice = adviseOn(address, path, role, allowInsecureHttp);
  return { url: `${address.origin}${path}${query}`, ...(advice === undefined ? {} : { problem: advice }) };
}

function refuseQuery({ query }: HttpAddress, role: BaseUrlRole): string | undefined {
  if (query === undefined || query === "") return undefined;
  if (role === "gateway")
    return t("The URL must not have a query. Put query parameters in “serverListQuery”.");
  const names = query.split("&").map((pair) => pair.split("=", 1)[0] ?? "");
  if (!names.some(isSensitiveName)) return undefined;
  return t("The URL contains a credential in its query. Remove it, and use “Set Credential…” instead.");
}

function adviseOn(
  { scheme, host }: HttpAddress,
  path: string,
  role: BaseUrlRole,
  allowInsecureHttp: boolean,
): string | undefined {
  if (scheme === "http" && !allowInsecureHttp && !isLoopbackHost(host)) {
    return t(
      "The URL uses plain HTTP, so no credentials are sent. Use HTTPS, or set “allowInsecureHttp” to accept the risk.",
    );
  }
  if (role === "inference" && !/\/v\d[a-z0-9]*(?:\/|$)/i.test(path)) {
    return t("The URL doesn't end with /v1, as inference URLs usually do. It is used unchanged.");
  }
  return undefined;
}

const problems: Readonly<Record<AddressProblem, () => string>> = {
  empty: () => t("The URL is empty."),
  scheme: () => t("The URL must begin with https:// (or http:// for this machine)."),
  characters: () => t("The URL contains spaces or invalid characters."),
  userInfo: () =>
    t("The URL contains a user name or password. Remove it, and use “Set Credential…” instead."),
  host: () => t("The URL has no valid host name."),
  port: () => t("The URL has no valid port."),
};
