import type { ServerResponse } from "node:http";
import type { ListPaging } from "../../../src/core/servers/fieldMapping.ts";
import type { GatewayCredential } from "../../../src/core/kernel/credential.ts";
import { ClockOffsets } from "../../../src/gateway/auth/clockOffset.ts";
import { requestServerList } from "../../../src/gateway/servers/gatewayClient.ts";
import { ServerListReader } from "../../../src/gateway/servers/readServerList.ts";
import { gatewayProfile } from "../../support/gatewayProfile.ts";
import type { Harness } from "../http/transportHarness.ts";

/** Number of servers. */
export const serverCount = 2_000;
/** Number of servers on a page. */
export const pageSize = 100;
/** The servers of a gateway. */
export const all = Array.from({ length: serverCount }, (_, index) => ({
  id: `i-${index}`,
  name: `gpu-${index}`,
  status: "running",
}));
const token: GatewayCredential = { kind: "sessionToken", token: "canary.session-token" };

/** The number of a page, and how many there are. */
interface Page {
  readonly number: number;
  readonly last: number;
  readonly rows: readonly unknown[];
  readonly url: URL;
}

/** How a gateway numbers its pages. */
export interface Style {
  /** The number of the requested page, from 0. */
  requested(query: URLSearchParams): number;
  answer(page: Page, response: ServerResponse): void;
}

/** Sends the response. */
export const json = (response: ServerResponse, body: unknown): void =>
  void response.end(JSON.stringify(body));

/** A gateway with a client that remembers its last list. */
export async function createPagedGateway(
  harness: Harness,
  style: Style,
  failing?: (number: number, response: ServerResponse) => boolean,
) {
  const seen: URL[] = [];
  const server = await harness.server((request, response) => {
    const url = new URL(request.url ?? "", `http://${request.headers.host ?? ""}`);
    seen.push(url);
    const number = style.requested(url.searchParams);
    if (failing?.(number, response) === true) return;
    const rows = all.slice(number * pageSize, (number + 1) * pageSize);
    style.answer({ number, last: serverCount / pageSize - 1, rows, url }, response);
  });
  const reader = new ServerListReader();
  const list = (paging?: ListPaging, credential = token, query: Readonly<Record<string, string>> = {}) =>
    requestServerList(
      {
        transport: harness.transport(),
        profile: {
          ...gatewayProfile,
          gatewayUrl: server.url,
          gatewayCredential: credential.kind,
          serverListQuery: query,
        },
        readCredential: () => Promise.resolve(credential),
        clockOffsets: new ClockOffsets(),
        now: () => Date.now(),
        timeoutMs: () => 5_000,
        userAgent: "inference-gateway-test",
      },
      { signal: new AbortController().signal, reader, ...(paging === undefined ? {} : { paging }) },
    );
  return { list, seen };
}
