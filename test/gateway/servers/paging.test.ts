import assert from "node:assert/strict";
import { readPageEnd } from "../../../src/gateway/servers/paging.ts";

type Headers = Readonly<Record<string, string>>;

/** The query of the second page after a first page with 100 of 250 servers. */
function next(document: unknown, headers: Headers = {}): string | undefined {
  const url = new URL("https://gpu.example/servers?zone=eu");
  const end = readPageEnd({ url, headers, document, steps: [], count: 100, countSoFar: 100, index: 0 });
  return end.state === "next" ? end.ways[0]?.url.search : undefined;
}

describe("The next page of a list", () => {
  for (const [what, envelope, expected, headers] of [
    ["a URL named as by Azure", { nextLink: "/servers?$skiptoken=a" }, "?$skiptoken=a"],
    ["a URL named as by OData", { "@odata.nextLink": "/servers?$skip=100" }, "?$skip=100"],
    ["links named after the list", { servers_links: [{ rel: "next", href: "?marker=m" }] }, "?marker=m"],
    ["links of pages", { links: { pages: { next: "?page=2" } } }, "?page=2"],
    ["a token in capital letters", { NextToken: "t" }, "?zone=eu&NextToken=t"],
    ["the last ID, if there is more", { has_more: true, last_id: "s-100" }, "?zone=eu&after=s-100"],
    ["no last ID, if there is nothing more", { has_more: false, last_id: "s-100" }, undefined],
    ["no last ID, if it isn't said whether there is more", { last_id: "s-100" }, undefined],
    ["the start of the next page", { isLastPage: false, start: 0, nextPageStart: 100 }, "?zone=eu&start=100"],
    ["no start of a next page at the end", { isLastPage: true, nextPageStart: null }, undefined],
    ["a cursor of a connection", { pageInfo: { endCursor: "c", hasNextPage: true } }, "?zone=eu&after=c"],
    ["a current page", { pagination: { current: 1, total_pages: 3 } }, "?zone=eu&page=2"],
    [
      "a current page with sizes",
      { data: { current: 1, size: 100, pages: 3, total: 250 } },
      "?zone=eu&current=2",
    ],
    [
      "a page and a total in headers",
      undefined,
      "?zone=eu&page=2",
      { "x-page": "1", "x-total-count": "250" },
    ],
    [
      "a page and a number of pages in headers",
      undefined,
      "?zone=eu&page=2",
      { "x-page": "1", "x-total-pages": "3" },
    ],
    [
      "no page after the last one in headers",
      undefined,
      undefined,
      { "x-page": "1", "x-total-count": "100" },
    ],
    [
      "an offset, if the total is named after the list",
      { offset: 0, total_servers: 250 },
      "?zone=eu&offset=100",
    ],
    ["a range in a header", undefined, "?zone=eu&offset=100", { "content-range": "items 0-99/250" }],
    ["no range after the last one", undefined, undefined, { "content-range": "items 150-249/250" }],
    [
      "the URL in the response rather than a range in a header",
      { next: "?cursor=c" },
      "?cursor=c",
      { "content-range": "items 0-99/250" },
    ],
    [
      "nothing in a header, if the response says that there is nothing more",
      { has_more: false },
      undefined,
      { "x-page": "1", "x-total-count": "250" },
    ],
    ["a position in a header", undefined, "?zone=eu&page=t", { "opc-next-page": "t" }],
    ["a cursor in a header", undefined, "?zone=eu&cursor=c", { "x-next-cursor": "c" }],
    ["no position in an empty header", undefined, undefined, { "x-next-page": "" }],
    ["a token named like its parameter", { after_token: "t" }, "?zone=eu&after_token=t"],
    ["a page and a number of records", { pageNo: 1, totalRecord: 250 }, "?zone=eu&pageNo=2"],
    ["no range of unknown length", undefined, undefined, { "content-range": "items 0-99/*" }],
  ] as const satisfies readonly (readonly [string, unknown, string | undefined, Headers?])[]) {
    it(`is found by ${what}`, () => assert.equal(next(envelope, headers), expected));
  }
});
