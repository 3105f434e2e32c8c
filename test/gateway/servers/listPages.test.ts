import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { parseListPaging } from "../../../src/core/servers/fieldMapping.ts";
import type { ListPaging } from "../../../src/core/servers/fieldMapping.ts";
import { partialText } from "../../../src/core/servers/tree/rowLabels.ts";
import type { GatewayCredential } from "../../../src/core/kernel/credential.ts";
import { ClockOffsets } from "../../../src/gateway/auth/clockOffset.ts";
import { sign } from "../../../src/gateway/auth/signature.ts";
import { createGatewayClient } from "../../../src/gateway/servers/gatewayClient.ts";
import { followPages } from "../../../src/gateway/servers/listPages.ts";
import { ServerListReader } from "../../../src/gateway/servers/serverListReader.ts";
import { gatewayProfile } from "../../support/gatewayProfile.ts";
import { Harness } from "../http/transportHarness.ts";

const serverCount = 2_000;
const pageSize = 100;
const all = Array.from({ length: serverCount }, (_, index) => ({
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

interface Style {
  /** The number of the requested page, from 0. */
  requested(query: URLSearchParams): number;
  answer(page: Page, response: ServerResponse): void;
}

const json = (response: ServerResponse, body: unknown): void => void response.end(JSON.stringify(body));

const styles: Readonly<Record<string, Style>> = {
  "a token in the body": {
    requested: (query) => Number((query.get("page_token") ?? "t0").slice(1)),
    answer: ({ number, last, rows }, response) =>
      json(response, { servers: rows, next_page_token: number < last ? `t${number + 1}` : "" }),
  },
  "a page number and a total": {
    requested: (query) => Number(query.get("pageNo") ?? 1) - 1,
    answer: ({ number, rows }, response) =>
      json(response, { data: { list: rows, pageNo: number + 1, pageSize, total: serverCount } }),
  },
  "an offset and a limit": {
    requested: (query) => Number(query.get("offset") ?? 0) / pageSize,
    answer: ({ number, rows }, response) =>
      json(response, {
        items: rows,
        meta: { offset: number * pageSize, limit: pageSize, total_count: serverCount },
      }),
  },
  "a Link header": {
    requested: (query) => Number(query.get("p") ?? 0),
    answer({ number, last, rows, url }, response) {
      const link = `<${url.origin}${url.pathname}?p=${number + 1}&access_key=stale&token=stale>; rel="next", <${url.origin}/>; rel="first"`;
      if (number < last) response.setHeader("link", link);
      json(response, rows);
    },
  },
  "a URL in the body": {
    requested: (query) => Number(query.get("after") ?? 0),
    answer: ({ number, last, rows, url }, response) =>
      json(response, {
        results: rows,
        links: { next: number < last ? { href: `${url.pathname}?after=${number + 1}` } : null },
      }),
  },
};

describe("A list of servers in pages", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  async function gateway(style: Style, failing?: (number: number, response: ServerResponse) => boolean) {
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
      createGatewayClient({
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
      }).listServers({
        signal: new AbortController().signal,
        retry: false,
        reader,
        ...(paging === undefined ? {} : { paging }),
      });
    return { list, seen };
  }

  for (const [name, style] of Object.entries(styles)) {
    it(`is read completely if they are named by ${name}`, async () => {
      const { list, seen } = await gateway(style);
      const read = await list();
      assert.deepEqual(
        read.servers.map(({ id }) => id?.value),
        all.map(({ id }) => id),
      );
      assert.deepEqual([read.hasMore, read.incomplete], [undefined, undefined]);
      assert.equal(seen.length, serverCount / pageSize);
      assert.equal(
        seen.some(({ search }) => search.includes("stale")),
        false,
      );
      // Unchanged servers keep their identity.
      const again = await list();
      assert.ok(again.servers.every((server, index) => server === read.servers[index]));
    });

    it(`keeps the pages before a failure, labeled as incomplete, if they are named by ${name}`, async () => {
      const { list } = await gateway(style, (number, response) => {
        if (number !== 2) return false;
        response.writeHead(500).end('{"message":"Out of order"}');
        return true;
      });
      const read = await list();
      assert.deepEqual([read.servers.length, read.hasMore], [2 * pageSize, true]);
      const label = partialText({ state: "ready", isRefreshing: false, failures: 0, ...read }) ?? "";
      assert.match(
        label,
        /The list is incomplete: 200 (?:of 2,?000 )?servers were read.*Page 3 couldn't be read: .*Out of order/,
      );
    });
  }

  it("is signed again for each page, without waiting for the clock, however many there are", async () => {
    const key = { kind: "accessKey", accessKey: "canary-AK", apiSecret: "canary-secret" } as const;
    const short: Style = {
      requested: (query) => Number(query.get("page") ?? 1),
      answer: ({ number, rows }, response) =>
        json(response, { servers: rows, next_page: number < 19 ? number + 1 : null }),
    };
    const { list, seen } = await gateway(short);
    await list(undefined, key, { region: "eu", page: "1" });
    assert.equal(seen.length, 19);
    const nonces = seen.map(({ searchParams }) => {
      const parameters = [...searchParams].filter(
        ([name]) => !["access_key", "nonce", "signature"].includes(name),
      );
      const nonce = Number(searchParams.get("nonce"));
      const options = gatewayProfile.signature;
      assert.equal(searchParams.get("signature"), sign({ parameters, nonce, credential: key, options }));
      assert.deepEqual([searchParams.get("region"), searchParams.getAll("page").length], ["eu", 1]);
      return nonce;
    });
    assert.ok(Math.max(...nonces) <= Math.floor(Date.now() / 1_000), "A nonce is ahead of the clock.");
  });

  it("never sends the credential to another origin that a response names", async () => {
    const other = await harness.server((_, response) => response.end("[]"));
    const { list } = await gateway({
      requested: () => 0,
      answer: ({ rows }, response) => json(response, { servers: rows, next: `${other.url}/steal` }),
    });
    const read = await list();
    assert.match(read.incomplete ?? "", /at another address/);
    assert.deepEqual(other.urls, []);
  });

  for (const [what, style, expected] of [
    ["lead back", { next: () => "?p=1" }, /has already been read/],
    ["never end", { next: (count: number) => `?p=${count}` }, /same servers again for page 2/],
  ] as const) {
    it(`ends with what was read if the pages ${what}`, async () => {
      let count = 0;
      const { list, seen } = await gateway({
        requested: (query) => (what === "lead back" && query.has("p") ? 1 : 0),
        answer: ({ rows }, response) => json(response, { servers: rows, next: style.next(++count) }),
      });
      const read = await list();
      assert.match(read.incomplete ?? "", expected);
      assert.ok(seen.length <= 3);
    });
  }

  it("is limited to a number of pages", async () => {
    const { list, seen } = await gateway({
      requested: (query) => Number(query.get("cursor") ?? 0),
      answer: ({ number }, response) =>
        json(response, { servers: [{ id: `x${number}`, status: "running" }], next_cursor: number + 1 }),
    });
    const read = await list();
    assert.deepEqual([seen.length, read.servers.length], [200, 200]);
    assert.match(read.incomplete ?? "", /Only the first 200 pages/);
  });

  for (const [setting, style] of [
    [
      { next: "more.key", parameter: "from_key" },
      { name: "from_key", more: (number: number) => ({ more: { key: `k${number}` } }) },
    ],
    [
      { parameter: "seite", first: 0 },
      { name: "seite", more: () => ({}) },
    ],
    [
      { parameter: "von", counts: "servers" },
      { name: "von", more: () => ({}) },
    ],
  ] as const) {
    it(`is read according to ${JSON.stringify(setting)} if the response doesn't specify the next page`, async () => {
      const { list } = await gateway({
        requested(query) {
          const number = Number((query.get(style.name) ?? "0").replace("k", ""));
          return style.name === "von" ? number / pageSize : number;
        },
        answer: ({ number, last, rows }, response) =>
          json(response, { servers: rows, ...(number < last ? style.more(number + 1) : {}) }),
      });
      const read = await list(parseListPaging(setting));
      assert.deepEqual([read.servers.length, read.incomplete], [serverCount, undefined]);
    });
  }

  it("stops at its first page if the user wants that, marked as incomplete", async () => {
    const style = styles["a token in the body"];
    assert.ok(style);
    const { list, seen } = await gateway(style);
    const read = await list({ follow: false });
    assert.deepEqual([seen.length, read.servers.length, read.hasMore], [1, pageSize, true]);
  });

  it("keeps servers whose records are equal if they are on the same page", async () => {
    const same = { name: "gpu", status: "running" };
    const { list } = await gateway({
      requested: (query) => Number(query.get("page") ?? 1),
      answer: ({ number }, response) =>
        json(
          response,
          number === 1 ? { servers: [same, same], next_page: 2 } : { servers: [{ id: "last" }] },
        ),
    });
    const read = await list();
    assert.deepEqual([read.servers.length, read.incomplete], [3, undefined]);
  });

  it("lets other work run while a long first page is searched for the next one", async () => {
    const servers = Array.from({ length: 40_000 }, (_, index) => ({ id: `i-${index}`, status: "running" }));
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    const first = {
      url: new URL("https://gateway.example.com/servers"),
      headers: {},
      text: JSON.stringify({ total: 80_000, servers }),
    };
    const joined = await followPages(first, {
      mapping: {},
      paging: undefined,
      signal: new AbortController().signal,
      now: () => 0,
      request: () => assert.fail("There is no next page"),
    }).finally(() => clearInterval(count));
    assert.equal(joined, undefined);
    assert.ok(turns > 0);
  });
});
