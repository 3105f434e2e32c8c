import assert from "node:assert/strict";
import { parseListPaging } from "../../../src/core/servers/fieldMapping.ts";
import { Harness } from "../http/transportHarness.ts";
import { all, createPagedGateway, json } from "./pagedGateway.ts";

describe("The names that a gateway uses for its pages", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  /** What a gateway calls its pages: a field with the position, and the parameter that it accepts. */
  interface Names {
    readonly parameter: string;
    readonly field?: string;
    readonly envelope?: Readonly<Record<string, unknown>>;
    /** Answers anything but the parameter, `zone` and the credential with 400. */
    readonly isStrict?: boolean;
  }

  const perPage = 25;
  const rows = all.slice(0, 60);

  /** Pages whose positions are tokens, or the ID of the last server. Other parameters are ignored. */
  async function named({ parameter, field, envelope, isStrict }: Names) {
    return createPagedGateway(harness, {
      requested: (query) => {
        const value = query.get(parameter);
        if (value === null) return 0;
        return value.startsWith("t") ? Number(value.slice(1)) : rows.findIndex(({ id }) => id === value) + 1;
      },
      answer({ number, url }, response) {
        if (isStrict === true && [...url.searchParams.keys()].some((name) => name !== parameter))
          return void response.writeHead(400).end('{"message":"unknown parameter"}');
        const start = number < 10 && field !== undefined ? number * perPage : number;
        const end = start + perPage;
        const page = rows.slice(start, end);
        const isLast = end >= rows.length;
        const position = field === undefined ? {} : { [field]: isLast ? null : `t${end / perPage}` };
        json(response, { instances: page, has_more: !isLast, ...position, ...envelope });
      },
    });
  }

  for (const [field, parameter, envelope] of [
    ["next_token", "after_token", { total_instances: 60 }],
    ["next_token", "after_token", {}],
    ["next_token", "page_token", { total: 25 }],
    ["NextToken", "NextToken", {}],
    ["nextToken", "nextToken", { count: 25 }],
    ["nextPageToken", "pageToken", {}],
    ["next_page", "page_token", {}],
    ["next_cursor", "cursor", {}],
    ["next_cursor", "after", {}],
    ["next_marker", "marker", {}],
    ["nextMarker", "marker", {}],
    ["next", "cursor", {}],
    ["continuationToken", "continuationToken", {}],
    ["end_cursor", "after", {}],
    ["lastEvaluatedKey", "exclusiveStartKey", {}],
    [undefined, "starting_after", {}],
    [undefined, "after", { total: 60 }],
    [undefined, "marker", {}],
    [undefined, "starting_after", { object: "list", url: "/" }],
    [undefined, "after_id", { limit: 25, total_count: 60 }],
    [undefined, "last_id", { limit: 25, offset: 0, total: 60 }],
  ] as const) {
    it(`are found if ${field ?? "nothing"} is requested by ${parameter}, beside ${JSON.stringify(envelope)}`, async () => {
      const { list, seen } = await named({ parameter, envelope, ...(field === undefined ? {} : { field }) });
      const read = await list();
      assert.deepEqual([read.servers.length, read.incomplete, read.hasMore], [60, undefined, undefined]);
      const before = seen.length;
      await list();
      assert.equal(seen.length - before, 3, "The parameter that worked is tried first.");
    });
  }

  it("are found if the gateway refuses parameters that it doesn't know", async () => {
    const { list } = await named({ parameter: "after_token", field: "next_token", isStrict: true });
    const read = await list();
    assert.deepEqual([read.servers.length, read.incomplete], [60, undefined]);
  });

  it("are asked for in the setting if none of the usual ones works, and one is tried the next time", async () => {
    const { list, seen } = await named({ parameter: "seite", field: "next_token" });
    const read = await list();
    assert.equal(read.servers.length, perPage);
    assert.match(read.incomplete ?? "", /same servers again for page 2.*inferenceGateway\.servers\.paging/);
    const before = seen.length;
    assert.equal((await list()).servers.length, perPage);
    assert.equal(seen.length - before, 2);
    const set = parseListPaging({ next: "next_token", parameter: "seite" });
    assert.equal((await list(set)).servers.length, 60);
  });
});
