import type { IncomingMessage, ServerResponse } from "node:http";
import { parseCookies } from "../../src/localGateway/http/cookies.ts";

/** A record of a request: names only, never a value that could be a secret. */
export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  readonly headerNames: readonly string[];
  readonly queryNames: readonly string[];
  readonly cookieNames: readonly string[];
  /** Where credentials were found, such as `header authorization`, `cookie STS-Token` or `query signature`. */
  readonly carriers: readonly string[];
  readonly statusCode: number;
  /** Whether the client disconnected before the response was complete. */
  readonly isAborted: boolean;
}

const headerCarriers = ["authorization", "sts-token", "x-auth-type"];
const queryCarriers = ["token", "STS-Token", "access_key", "nonce", "signature"];
const cookieCarriers = ["User-Token-V1", "OU-Token-V1", "STS-Token"];

/** What is recorded about a request: never the value of a credential. */
export function createRequestRecord(request: IncomingMessage, response: ServerResponse): RequestRecord {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const headerNames = Object.keys(request.headers);
  const queryNames = [...url.searchParams.keys()];
  const cookieNames = [...parseCookies(request.headers.cookie).keys()];
  return {
    method: request.method ?? "",
    path: url.pathname,
    headerNames,
    queryNames,
    cookieNames,
    carriers: [
      ...named("header", headerNames, headerCarriers),
      ...named("query", queryNames, queryCarriers),
      ...named("cookie", cookieNames, cookieCarriers),
    ],
    statusCode: response.statusCode,
    isAborted: !response.writableFinished,
  };
}

function named(kind: string, names: readonly string[], carriers: readonly string[]): readonly string[] {
  return carriers.filter((carrier) => names.includes(carrier)).map((carrier) => `${kind} ${carrier}`);
}
