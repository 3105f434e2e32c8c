import assert from "node:assert/strict";
import type { Server } from "../../../../src/core/servers/server.ts";
import { filterCompletions } from "../../../../src/core/servers/filter/filterCompletions.ts";
import type { FilterSubject } from "../../../../src/core/servers/serverProperties.ts";
import { createFilter } from "../../../../src/core/servers/filter/filterSubject.ts";
import { parseFilter } from "../../../../src/core/servers/filter/parseFilter.ts";

const server: Server = {
  key: "srv-1",
  id: { value: "srv-1", source: "id" },
  name: { value: "trainer 07", source: "name" },
  status: "running",
  statusText: { value: "ACTIVE", source: "state" },
  gpu: { value: "8x H100 (80 GB)", source: "gpu" },
  gpuCount: { value: "8", source: "gpu.count" },
  region: { value: "eu-north-1", source: "region" },
  address: { value: "203.0.113.7", source: "ip" },
  record: {
    vcpus: 128,
    ram: "1800 GB",
    serial: "9007199254740993",
    created_at: "2026-06-05T10:29:11",
    labels: { team: "research" },
    api_token: "planted-secret",
    net: { vpc: [{ subnetName: "blue" }] },
    "odd/name": "yes",
  },
};
const subject: FilterSubject = {
  server,
  mark: { isPinned: true },
  profileName: "Lab",
  isStale: false,
};
const shows = (text: string): boolean => createFilter(text)?.(subject) ?? true;

describe("The server filter", () => {
  const shown = [
    "",
    "status:running",
    "status:active",
    "STATUS:Running gpu:h100 region:eu trainer",
    "gpu:a100,h100",
    "-gpu:a100",
    "gpus:8",
    "gpus:>4",
    "gpus:4..8",
    "gpus:<=8 gpus:>=8",
    'name:"trainer 07"',
    '"trainer 07"',
    "tag:team=research",
    "is:pinned is:public",
    "profile:lab",
    "vcpus:>64",
    "ram:>1000",
    "created_at:>2026-01",
    "subnetname:blue",
    "/net/vpc/0/subnetName:blue",
    "net.vpc.subnetName:blue",
    "/odd~1name:yes",
    "serial:=9007199254740993",
    "serial:>9007199254740992",
    "vcpus:*",
    "status:",
    "-tag:prod",
  ];
  for (const text of shown) {
    it(`shows the server for ${text === "" ? "no filter" : text}`, () => assert.equal(shows(text), true));
  }

  const hidden = [
    "status:stopped",
    "-status:running",
    "gpus:80",
    "gpus:1",
    "gpus:>8",
    "nobody",
    "status:running nobody",
    "serial:=9007199254740992",
    "created_at:<2026-01",
    "missing:*",
    "region:>3",
    "is:muted",
    "name:=trainer",
  ];
  for (const text of hidden) {
    it(`hides the server for ${text}`, () => assert.equal(shows(text), false));
  }

  it("doesn't match a secret by its value or presence", () => {
    for (const text of ["api_token:planted", "/api_token:planted", "api_token:*", "planted"]) {
      assert.equal(shows(text), false, text);
    }
  });

  it("accepts any text without an error", () => {
    for (const text of [
      '"',
      ":",
      "-",
      "--",
      'a:"',
      "a::b",
      "a:>",
      'gpu:"h100',
      "(",
      "/",
      "..",
      "a:..",
      "-:",
    ]) {
      assert.doesNotThrow(() => shows(text), text);
    }
  });

  const alternatives: readonly (readonly [text: string, isShown: boolean])[] = [
    ["status:error OR gpu:h100", true],
    ["gpu:h100 OR status:error", true],
    ["status:error or gpu:h100", true],
    ["status:error || gpu:h100", true],
    ["status:error | region:eu", true],
    ["status:error OR gpu:a100", false],
    ["status:error OR gpu:a100 OR name:trainer", true],
    ["region:us gpu:h100 OR status:error", false],
    ["status:error OR region:eu gpu:h100", true],
    ["status:error OR region:us gpu:h100", false],
    ["-gpu:a100 OR status:error", true],
    ['"status:error OR gpu:h100"', false],
    ["gpu:h100 OR", true],
    ["gpu:a100 OR", false],
    ["OR xyz", false],
    ["OR", true],
  ];
  for (const [text, isShown] of alternatives) {
    it(`separates alternatives in “${text}”`, () => assert.equal(shows(text), isShown));
  }

  it("treats parentheses as text", () => {
    const other: FilterSubject = {
      ...subject,
      server: { ...server, name: { value: "node(1)", source: "name" } },
    };
    assert.equal(createFilter("node(1)")?.(other), true);
    assert.equal(createFilter("node(2)")?.(other), false);
    assert.doesNotThrow(() => shows("(".repeat(10_000)));
  });

  it("parses a filter of ten thousand words quickly", () => {
    assert.equal(parseFilter('a:"b c",d '.repeat(10_000))[0]?.length, 10_000);
  });
});

describe("Completions of the filter", () => {
  const complete = (text: string): readonly string[] =>
    filterCompletions(text, [subject]).map(({ filter }) => filter);

  it("offer fields for an incomplete word, including fields of the records", () => {
    assert.deepEqual(complete("status:running reg"), ["status:running region:"]);
    assert.ok(complete("vc").includes("vcpus:"));
  });

  it("offer the values of the servers, with quotation marks if needed", () => {
    assert.deepEqual(complete("name:tr"), ['name:"trainer 07" ']);
    assert.deepEqual(complete("-gpus:"), ["-gpus:8 "]);
  });

  it("complete the last of several values", () => {
    assert.deepEqual(complete("region:us,eu"), ["region:us,eu-north-1 "]);
  });

  it("offer no field with a secret name", () => {
    assert.deepEqual(complete("api"), []);
  });
});
