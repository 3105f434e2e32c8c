import assert from "node:assert/strict";
import {
  fillSavedRequest,
  formatSavedRequest,
  hasInexactInteger,
  readSavedRequests,
} from "../../../src/core/servers/signedRequest/savedRequest.ts";

const restart = {
  name: "Restart",
  method: "POST",
  path: "/gpu/api/v1/servers/{id}/restart",
  query: "zone={placement.zone}",
  body: { reason: "asked by {owner}", force: true, of: ["{id}"] },
  confirmation: "Running jobs are stopped.",
};

function fill(entry: unknown, record: unknown) {
  const { requests, problems } = readSavedRequests([entry]);
  assert.deepEqual(problems, []);
  assert.ok(requests[0]);
  return fillSavedRequest(requests[0], record);
}

describe("A saved request", () => {
  it("is filled in from the record, without a value changing the structure of the request", () => {
    const record = {
      flavor: { id: "h100" },
      id: "a/../b?x=1#y",
      placement: { zone: "eu&admin=1" },
      owner: 'x","force":false,"y":"',
    };
    assert.deepEqual(fill(restart, record), {
      draft: {
        method: "POST",
        path: "/gpu/api/v1/servers/a%2F..%2Fb%3Fx%3D1%23y/restart",
        parameters: [["zone", "eu&admin=1"]],
        body: JSON.stringify({ reason: `asked by ${record.owner}`, force: true, of: [record.id] }),
      },
    });
  });

  for (const [what, record] of [
    ["has no such field", { name: "x" }],
    ["has several different values", { disks: [{ id: "a" }, { id: "b" }] }],
    ["has an empty value", { id: "" }],
    ["has a value that leads elsewhere", { id: ".." }],
    ["has an encoded value that leads elsewhere", { id: "%2e%2e" }],
    ["has a secret there", { id: "x", password: "canary" }],
  ] as const) {
    it(`isn't sent if the record ${what}`, () => {
      const path = what.includes("secret") ? "/servers/{password}" : "/servers/{id}/stop";
      const filled = fill({ name: "Stop", method: "POST", path }, record);
      if (what.includes("encoded")) {
        assert.deepEqual("draft" in filled && filled.draft.path, "/servers/%252e%252e/stop");
        return;
      }
      assert.match("problem" in filled ? filled.problem : "", /“Stop” can't be sent/);
      assert.equal(JSON.stringify(filled).includes("canary"), false);
    });
  }

  it("is read from the setting, and described if it can't be used", () => {
    const { requests, problems } = readSavedRequests([
      restart,
      { name: "Other host", method: "GET", path: "https://evil.example.com/" },
      { name: "Climb", method: "GET", path: "/a/../b" },
      { name: "Key", method: "GET", path: "/a", query: "access_key=x" },
      { name: "No method", path: "/a" },
      { method: "GET", path: "/a" },
      "text",
    ]);
    assert.deepEqual(
      requests.map(({ name }) => name),
      ["Restart"],
    );
    assert.equal(problems.length, 6);
    assert.deepEqual(readSavedRequests("text"), { requests: [], problems: [] });
  });

  it("is read again as it was saved", () => {
    const draft = {
      base: "inference",
      method: "POST",
      path: "/rerank",
      parameters: [["a b", "c&d"]],
      body: '{"query":"x"}',
    } as const;
    const entry = formatSavedRequest("Rerank", draft, "");
    assert.deepEqual(fill(entry, undefined), { draft });
  });
});

describe("A number in the body of a request to save", () => {
  it("is recognized as inexact only if it is an integer of more than 53 bits, outside of texts", () => {
    for (const body of ['{"id":12345678901234567890}', "[1, -9007199254740993]", "9007199254740993"])
      assert.equal(hasInexactInteger(body), true, body);
    for (const body of [
      '{"id":"12345678901234567890","n":1.5e300}',
      '["a\\"9007199254740993"]',
      "[9007199254740991]",
    ])
      assert.equal(hasInexactInteger(body), false, body);
  });
});
