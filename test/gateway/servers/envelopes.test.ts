import assert from "node:assert/strict";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { pathOfList, readServerList } from "../../support/readServerList.ts";

const a = { id: "a", name: "alpha", status: "running" };
const b = { id: "b", name: "beta", status: "stopped" };

const shapes: readonly (readonly [path: string, document: unknown])[] = [
  ["", [a, b]],
  ["servers", { servers: [a, b] }],
  ["data", { data: [a, b], included: [{ id: "9", name: "Ubuntu", status: "available" }] }],
  ["data.list", { code: 0, message: "success", data: { list: [a, b], total: 2 } }],
  [
    "data.servers",
    { status: "success", data: { servers: [a, b], regions: [{ id: 1, name: "eu", status: "up" }] } },
  ],
  ["Response.InstanceSet", { Response: { InstanceSet: [a, b], RequestId: "r" } }],
  ["Instances.Instance", { TotalCount: 2, Instances: { Instance: [a, b] } }],
  ["listvirtualmachinesresponse.virtualmachine", { listvirtualmachinesresponse: { virtualmachine: [a, b] } }],
  ["Reservations[].Instances", { Reservations: [{ Instances: [a] }, { Instances: [b] }] }],
  ["clusters[].servers", { clusters: [{ id: "c", name: "gamma", servers: [a, b] }] }],
  [
    "items{}.instances",
    {
      items: {
        "zones/z-1": { instances: [a] },
        "zones/z-2": { warning: { code: "EMPTY", data: [{ key: "x" }] } },
        "zones/z-3": { instances: [b] },
      },
    },
  ],
  ["data.servers.edges", { data: { servers: { edges: [{ node: a }, { node: b }], pageInfo: {} } } }],
  ["", [{ server: a }, { server: b }]],
  ["{}", { "srv-1": a, "srv-2": b }],
  ["servers{}", { servers: { "srv-1": a, "srv-2": b }, count: 2 }],
  ["{}", { "eu-west": [a], "us-east": [b] }],
  ["[]", [[a], [b]]],
  ["_embedded.servers", { _embedded: { servers: [a, b] }, _links: { self: { href: "/x" } } }],
  ["d.results", { d: { results: [a, b] } }],
  ["maschinen", { maschinen: [a, b] }],
  ["nodes", { errors: [], warnings: [{ id: "w", name: "x", status: "y" }], nodes: [a, b] }],
  ["servers", { images: [{ ...a, id: "i" }], volumes: [{ ...b, id: "v" }], servers: [a, b] }],
];

describe("The envelope of a server list", () => {
  for (const [path, document] of shapes) {
    it(`is unwrapped: ${JSON.stringify(document).slice(0, 70)}`, () => {
      const list = readServerList(JSON.stringify(document));
      assert.deepEqual(
        list.servers.map(({ key, name, status }) => [key, name?.value, status]),
        [
          ["a", "alpha", "running"],
          ["b", "beta", "stopped"],
        ],
      );
      assert.equal(pathOfList(JSON.stringify(document)), path);
    });
  }

  const empties: readonly unknown[] = [
    [],
    {},
    null,
    { servers: [] },
    { servers: {} },
    { servers: null, total: 0 },
    { data: [] },
    { data: {} },
    { data: null, code: 0, message: "success" },
    { code: 0, message: "ok", data: { list: null, total: 0 } },
    { code: 200, data: { list: [], total: 0 } },
    { status: true, message: "Getting virtual machines successful", count: 0, instances: [] },
    { Reservations: [] },
    { value: [] },
    { devices: [], meta: { total: 0, self: { href: "/x" } } },
    { Response: { InstanceSet: [], TotalCount: 0, RequestId: "r" } },
    { Instances: { Instance: [] }, TotalCount: 0 },
    { kind: "compute#instanceList", id: "projects/p", selfLink: "https://host/x" },
    {
      items: { "zones/z-1": { warning: { code: "EMPTY", data: [{ key: "x", value: "y" }] } } },
      kind: "aList",
    },
    { data: { servers: { edges: [] } } },
    { listvirtualmachinesresponse: { count: 0 } },
  ];
  for (const document of empties) {
    it(`may be empty: ${JSON.stringify(document).slice(0, 70)}`, () => {
      assert.deepEqual(readServerList(JSON.stringify(document)).servers, []);
    });
  }

  it("contains a total only if the response lists fewer", () => {
    assert.equal(readServerList(JSON.stringify({ data: { list: [a], total: 40 } })).total, 40);
    assert.equal(
      readServerList(JSON.stringify({ servers: [a], meta: { pagination: { total_entries: 7 } } })).total,
      7,
    );
    assert.equal(readServerList(JSON.stringify({ servers: [a, b], total: 2 })).total, undefined);
    assert.equal(readServerList(JSON.stringify({ results: 1, data: [a, b] })).total, undefined);
  });

  it("may contain entries that aren't objects", () => {
    const { servers } = readServerList(JSON.stringify({ servers: [{ foo: 1 }, "abc", null, 42, [1], {}] }));
    assert.deepEqual(
      servers.map(({ key }) => key),
      ["#1", "abc", "#3", "42", "#5", "#6"],
    );
  });

  it("may contain many servers with one endless ID, which get distinct short keys", () => {
    const id = "a".repeat(5_000);
    const { servers } = readServerList(JSON.stringify(Array.from({ length: 20_000 }, () => ({ id }))));
    assert.equal(new Set(servers.map(({ key }) => key)).size, 20_000);
    assert.ok(servers.every(({ key }) => key.length < 250));
  });

  it("may contain servers with the same ID, which get distinct keys", () => {
    const { servers } = readServerList(JSON.stringify([a, a, { id: "a#2" }, a]));
    assert.equal(new Set(servers.map(({ key }) => key)).size, 4);
  });

  it("keeps every digit of an ID beyond 2^53, and text that looks like one", () => {
    const text =
      '{"servers":[{"id":12345678901234567890,"name":"n \\"x:12345678901234567890","cpu":1234567890123456}]}';
    const server = readServerList(text).servers[0];
    assert.equal(server?.id?.value, "12345678901234567890");
    assert.equal(server?.name?.value, 'n "x:12345678901234567890');
    assert.deepEqual(server?.record, {
      id: "12345678901234567890",
      name: 'n "x:12345678901234567890',
      cpu: 1234567890123456,
    });
  });

  it("may start with a byte order mark", () => {
    assert.equal(readServerList(`\ufeff${JSON.stringify([a])}`).servers.length, 1);
  });

  it("is searched only a few levels deep", () => {
    const text = `${'{"data":'.repeat(3_000)}[]${"}".repeat(3_000)}`;
    assert.throws(() => readServerList(text), ServiceError);
  });
});

function failure(text: string): ServiceError {
  try {
    readServerList(text);
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: "nothing was thrown" });
}

describe("A response that isn't a server list", () => {
  const errors: readonly (readonly [document: unknown, reason: string, code: string | undefined])[] = [
    [{ code: "ERR_UNAUTHORIZED", message: "no token" }, "sessionToken", "ERR_UNAUTHORIZED"],
    [{ code: "ERR_STS_UNAUTHORIZED", data: null }, "stsToken", "ERR_STS_UNAUTHORIZED"],
    [{ error: { code: "ERR_AUTHTYPE" } }, "authenticationType", "ERR_AUTHTYPE"],
    [{ errorCode: "ERR_SIGNATURE", data: [] }, "signature", "ERR_SIGNATURE"],
    [{ message: "ERR_SIGNATURE", success: false }, "signature", "ERR_SIGNATURE"],
    [{ error: "ERR_STS_UNAUTHORIZED" }, "stsToken", "ERR_STS_UNAUTHORIZED"],
    [{ code: 10401, msg: "token expired", data: { list: [] } }, "service", "10401"],
    [{ status: false, message: "No permission", instances: [] }, "service", undefined],
    [
      { Response: { Error: { Code: "AuthFailure", Message: "no" }, RequestId: "r" } },
      "service",
      "AuthFailure",
    ],
  ];
  for (const [document, reason, code] of errors) {
    it(`is reported as the error it contains: ${JSON.stringify(document)}`, () => {
      const error = failure(JSON.stringify(document));
      assert.deepEqual([error.reason, error.facts.code], [reason, code]);
    });
  }

  it("is reported with the server's message", () => {
    assert.match(failure('{"code":10401,"msg":"token expired"}').message, /token expired/);
  });

  it("may be an error code in plain text", () => {
    assert.equal(failure("ERR_SIGNATURE").reason, "signature");
  });

  for (const [text, words] of [
    ["<html><head><title>Sign in</title></head></html>", /web page titled “Sign in”/],
    ["", /empty response/],
    ["not json", /isn.t JSON/],
    ['{"servers":[', /isn.t JSON/],
    ['{"hello":"world"}', /contains no server list/],
    ['"text"', /contains no server list/],
    ["42", /contains no server list/],
    ['{"regions":["eu","us"]}', /contains no server list/],
  ] as const) {
    it(`is reported as malformed: ${text.slice(0, 40)}`, () => {
      const error = failure(text);
      assert.equal(error.reason, "malformed");
      assert.match(error.message, words);
    });
  }
});
