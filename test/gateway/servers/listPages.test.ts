import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { parseListPaging } from "../../../src/core/servers/fieldMapping.ts";
import { partialText } from "../../../src/core/servers/tree/rowLabels.ts";
import { sign } from "../../../src/gateway/auth/signature.ts";
import { gatewayProfile } from "../../support/gatewayProfile.ts";
import { Harness } from "../http/transportHarness.ts";
import { all, createPagedGateway, json, pageSize, serverCount } from "./pagedGateway.ts";
import type { Style } from "./pagedGateway.ts";

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

const perPage = 25;
const rows = all.slice(0, 60);

describe("A list of servers in pages", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  const gateway = (style: Style, failing?: (number: number, response: ServerResponse) => boolean) =>
    createPagedGateway(harness, style, failing);

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
        /The list is incomplete: only 200 (?:of 2,?000 )?servers\..*Page 3 couldn't be read: .*Out of order/,
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

  it("goes on after an empty page that has a further position", async () => {
    const { list } = await gateway({
      requested: (query) => Number(query.get("page_token") ?? 0),
      answer: ({ number }, response) =>
        json(response, {
          servers: number % 2 === 1 ? [] : all.slice(number * 10, number * 10 + 10),
          next_page_token: number < 4 ? String(number + 1) : null,
        }),
    });
    const read = await list();
    assert.deepEqual([read.servers.length, read.hasMore], [30, undefined]);
  });

  it("begins with an empty page, and is found on the next one", async () => {
    const { list } = await gateway({
      requested: (query) => Number(query.get("page_token") ?? 0),
      answer: ({ number }, response) =>
        json(response, number === 0 ? { items: [], next_page_token: "1" } : { items: all.slice(0, 60) }),
    });
    const read = await list();
    assert.deepEqual([read.servers.length, read.hasMore], [60, undefined]);
  });

  it("is read from the groups of several pages", async () => {
    const { list } = await gateway({
      requested: (query) => Number(query.get("NextToken") ?? 0),
      answer: ({ number }, response) =>
        json(response, {
          Reservations: rows
            .slice(number * perPage, (number + 1) * perPage)
            .map(({ id, ...row }) => ({ OwnerId: "o", Instances: [{ InstanceId: id, ...row }] })),
          ...(number < 2 ? { NextToken: String(number + 1) } : {}),
        }),
    });
    const read = await list();
    assert.deepEqual([read.servers.length, read.hasMore], [60, undefined]);
  });

  it("is read from the pages of a connection", async () => {
    const { list } = await gateway({
      requested: (query) => Number(query.get("after") ?? 0),
      answer: ({ number }, response) =>
        json(response, {
          data: {
            viewer: {
              instances: {
                totalCount: perPage,
                edges: rows.slice(number * perPage, (number + 1) * perPage).map((node) => ({ node })),
                pageInfo: { hasNextPage: number < 2, endCursor: String(number + 1) },
              },
            },
          },
        }),
    });
    const read = await list();
    assert.deepEqual([read.servers.length, read.hasMore], [60, undefined]);
  });

  it("contains a server once that changes its state between two pages, as it is later", async () => {
    const { list } = await gateway({
      requested: (query) => Number(query.get("page") ?? 1),
      answer: ({ number }, response) =>
        json(
          response,
          number === 1
            ? {
                servers: [
                  { id: "a", status: "starting" },
                  { id: "b", status: "running" },
                ],
                next_page: 2,
                total: 4,
              }
            : {
                servers: [
                  { id: "a", status: "running" },
                  { id: "c", status: "running" },
                ],
                total: 4,
              },
        ),
    });
    const read = await list();
    assert.deepEqual(
      read.servers.map(({ key, status }) => [key, status]),
      [
        ["a", "running"],
        ["b", "running"],
        ["c", "running"],
      ],
    );
    assert.equal(read.hasMore, undefined);
  });

  it("is labeled as incomplete if fewer servers were read than there are", async () => {
    const { list } = await gateway({
      requested: (query) => Number(query.get("page") ?? 1),
      answer: ({ number }, response) =>
        json(response, {
          servers: number === 1 ? all.slice(0, 20) : [],
          next_page: number === 1 ? 2 : null,
          total: 60,
        }),
    });
    const read = await list();
    assert.deepEqual([read.servers.length, read.hasMore, read.total], [20, true, 60]);
  });
});
