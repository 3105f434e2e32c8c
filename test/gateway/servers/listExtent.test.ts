import assert from "node:assert/strict";
import { readPageEnd } from "../../../src/gateway/servers/paging.ts";
import { ServerListReader } from "../../../src/gateway/servers/readServerList.ts";
import { pathOfList, readServerList } from "../../support/readServerList.ts";

const servers = [
  { id: "a", name: "alpha", status: "running" },
  { id: "b", name: "beta", status: "stopped" },
];

const partial: readonly unknown[] = [
  { servers, nextToken: "x" },
  { servers, next_page_token: "x" },
  { servers, nextPageToken: "x" },
  { servers, NextMarker: "x" },
  { servers, next_cursor: "x" },
  { servers, next: "https://gpu.example/servers?page=2" },
  { servers, "@odata.nextLink": "https://gpu.example/next" },
  { servers, has_more: true },
  { servers, hasNext: true },
  { servers, IsTruncated: true },
  { data: { list: servers, hasMore: true } },
  { data: servers, links: { next: "https://gpu.example/servers?page=2" } },
  { data: servers, links: { next: { href: "/servers?page=2" } } },
  {
    data: servers,
    links: [
      { rel: "self", href: "/" },
      { rel: "next", href: "/2" },
    ],
  },
  { servers, links: { pages: { next: "https://gpu.example/2", last: "https://gpu.example/9" } } },
  { _embedded: { servers }, _links: { self: { href: "/" }, next: { href: "/2" } } },
  { servers, servers_links: [{ rel: "next", href: "/2" }] },
  { items: servers, metadata: { continue: "token" } },
  { data: { servers: { edges: servers.map((node) => ({ node })), pageInfo: { hasNextPage: true } } } },
  { servers, meta: { pagination: { page: 1, total_pages: 3 } } },
  { data: servers, current_page: 1, last_page: 4 },
  { content: servers, page: { number: 0, size: 2, totalPages: 5 } },
  { data: servers, meta: { page: { cursor: { next: "x" } } } },
  { servers, pagination: { nextPage: 2 } },
];
/** A position to continue from, beside a count that may be that of the page. */
const counted: readonly unknown[] = [
  { servers, count: 2, next_token: "x" },
  { servers, total: 2, next: "/servers?page=2" },
  { servers, total: 2, has_more: true },
  { items: servers, total: 2, metadata: { continue: "x" } },
  { servers, size: 2, total: 2, pagination: { next_cursor: "x" } },
];
const numbered: readonly (readonly [document: unknown, total: number])[] = [
  [{ servers, total: 57 }, 57],
  [{ servers, meta: { total_count: "57" } }, 57],
  [{ servers, pagination: { total: 57, has_more: true } }, 57],
  [{ items: servers, metadata: { continue: "x", remainingItemCount: 55 } }, 57],
];
const whole: readonly unknown[] = [
  servers,
  { servers },
  { servers, nextToken: null },
  { servers, nextToken: "" },
  { servers, next: null, previous: null, count: 2 },
  { servers, has_more: false, next_cursor: "x" },
  { servers, total: 2, page: 1, total_pages: 1 },
  { servers, links: { next: null } },
  { servers, meta: { pagination: { page: 1, next_page: null, last_page: 1, total_entries: 2 } } },
  {
    data: {
      servers: { edges: servers.map((node) => ({ node })), pageInfo: { hasNextPage: false, endCursor: "x" } },
    },
  },
  { items: servers, metadata: { resourceVersion: "8" } },
  { servers, message: "more to come", remaining: 0 },
];

describe("The extent of a server list", () => {
  for (const document of [...partial, ...counted]) {
    const text = JSON.stringify(document);
    it(`has more servers: ${text.slice(0, 20)}…${text.slice(-70)}`, () => {
      const list = readServerList(text);
      assert.deepEqual([list.servers.length, list.hasMore, list.total], [2, true, undefined]);
    });
  }

  for (const [document, total] of numbered) {
    it(`has a known total: ${JSON.stringify(document).slice(-60)}`, () => {
      const list = readServerList(JSON.stringify(document));
      assert.deepEqual([list.hasMore, list.total], [true, total]);
    });
  }

  for (const document of whole) {
    it(`is not reported: ${JSON.stringify(document).slice(-70)}`, () => {
      const list = readServerList(JSON.stringify(document));
      assert.deepEqual([list.servers.length, list.hasMore, list.total], [2, undefined, undefined]);
    });
  }

  it("is read again with every list, however little has changed", () => {
    const reader = new ServerListReader();
    const reply = (token: string | null, status: string): string =>
      JSON.stringify({ servers: [{ ...servers[0], status }, servers[1]], nextToken: token });
    assert.equal(readServerList(reply("x", "running"), {}, reader).hasMore, true);
    assert.equal(readServerList(reply("y", "stopped"), {}, reader).hasMore, true);
    assert.equal(readServerList(reply("", "stopped"), {}, reader).hasMore, undefined);
  });

  it("may be in the response headers", () => {
    const end = (headers: Readonly<Record<string, string>>): unknown => {
      const url = new URL("https://gpu.example/servers");
      const page = { url, headers, document: servers, steps: [], count: 2, countSoFar: 2, index: 0 };
      return readPageEnd(page, { follow: false });
    };
    const more = { state: "more", isElsewhere: false };
    const complete = { state: "complete" };
    const link = '<https://gpu.example/servers?page=1>; rel="prev", <https://gpu.example/3>; rel="next"';
    assert.deepEqual(end({ link }), more);
    assert.deepEqual(end({ link: "<https://gpu.example/1>; rel=first" }), complete);
    assert.deepEqual(end({ "x-next-page": "2" }), more);
    assert.deepEqual(end({ "x-next-page": "" }), complete);
    assert.deepEqual(end({ "x-total-pages": "3" }), more);
    assert.deepEqual(end({ "x-total-count": "57" }), { ...more, total: 57 });
    // The count may be that of the page.
    assert.deepEqual(end({ "x-total-count": "2", link }), more);
    assert.deepEqual(end({ "content-range": "items 0-1/57" }), { ...more, total: 57 });
    assert.deepEqual(end({}), complete);
  });
});

describe("Lists nested in a server", () => {
  const port = (number: number): unknown => ({
    ip: `203.0.113.${number}`,
    isIpPublic: true,
    privatePort: number,
    publicPort: 10_000 + number,
    type: "tcp",
  });
  const gpu = (number: number): unknown => ({ id: `GPU-${number}`, name: "H100", status: "ok", memory: 80 });
  const runtime = { uptimeInSeconds: 3, ports: [port(22), port(80)], gpus: [gpu(1), gpu(2)] };
  const shapes: readonly (readonly [path: string, document: unknown])[] = [
    ["data.myself.pods", { data: { myself: { pods: [{ id: "p1", name: "one", runtime }] } } }],
    [
      "data.myself.pods",
      {
        data: {
          myself: {
            pods: [
              { id: "p1", runtime: null },
              { id: "p2", runtime },
            ],
          },
        },
      },
    ],
    ["data.viewer.pods.edges", { data: { viewer: { pods: { edges: [{ node: { id: "p1", runtime } }] } } } }],
    [
      "data.myself.pods",
      {
        data: {
          myself: {
            id: "user",
            status: "active",
            region: "EU",
            pods: [
              { id: "p1", runtime },
              { id: "p2", runtime },
            ],
          },
        },
      },
    ],
    [
      "data.me.podList.nodes",
      { data: { me: { id: "user", podList: { nodes: [{ id: "p1", runtime }], pageInfo: {} } } } },
    ],
    ["result.rigs", { result: { rigs: [{ id: "p1", label: "x", devices: [gpu(1)], ports: [port(22)] }] } }],
    [
      "data",
      { data: [{ id: "p1", accelerators: [gpu(1), gpu(2)], interfaces: [port(1)], disks: [gpu(3)] }] },
    ],
    [
      "boxes",
      { boxes: [{ id: "p1", name: "x", networks: [{ id: "n", name: "n", status: "up", ips: [port(1)] }] }] },
    ],
  ];
  for (const [path, document] of shapes) {
    it(`are never mistaken for the server list: ${JSON.stringify(document).slice(0, 70)}`, () => {
      const list = readServerList(JSON.stringify(document));
      assert.equal(pathOfList(JSON.stringify(document)), path);
      assert.ok(list.servers.every(({ id }) => id?.value.startsWith("p") === true));
    });
  }
});
