import type { IncomingMessage } from "node:http";
import { parseCookies } from "../http/cookies.ts";

/** The parts of a request that may contain credentials. */
export interface CredentialSources {
  readonly cookies: ReadonlyMap<string, string>;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
}

export function credentialSources(request: IncomingMessage, url: URL): CredentialSources {
  return {
    cookies: parseCookies(request.headers.cookie),
    query: url.searchParams,
    header(name) {
      const value = request.headers[name.toLowerCase()];
      return Array.isArray(value) ? value[0] : value;
    },
  };
}

/** Interface section 5.2: the first value that is not empty takes precedence. */
export function lookUpSessionToken({ cookies, query, header }: CredentialSources): string | undefined {
  return firstNonEmpty(
    cookies.get("User-Token-V1"),
    ...query.getAll("token"),
    header("Authorization"),
    cookies.get("OU-Token-V1"),
  );
}

/** Interface section 5.4: the first value that is not empty takes precedence. */
export function lookUpStsToken({ cookies, query, header }: CredentialSources): string | undefined {
  return firstNonEmpty(cookies.get("STS-Token"), ...query.getAll("STS-Token"), header("STS-Token"));
}

function firstNonEmpty(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value !== "");
}
