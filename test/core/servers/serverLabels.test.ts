import assert from "node:assert/strict";
import { sanitizeLabel } from "../../../src/core/kernel/foreignText.ts";
import type { Server, ServerFact } from "../../../src/core/servers/server.ts";
import { formatAge } from "../../../src/core/kernel/formatTime.ts";
import { serverRecordText } from "../../../src/core/servers/details/serverDetails.ts";
import {
  serverDescription,
  serverName,
  serverSpoken,
  statusText,
} from "../../../src/core/servers/serverLabels.ts";

const fact = (value: string): ServerFact => ({ value, source: "x" });
const server: Server = {
  key: "1",
  id: fact("1"),
  name: fact("trainer"),
  status: "starting",
  statusText: fact("booting"),
  gpu: fact("8x H100"),
  region: fact("eu-west"),
  address: fact("10.0.0.5"),
  isPrivateAddress: true,
  record: {},
};

describe("the words of a row", () => {
  it("say GPU, region and state, with the gateway's own word where it differs", () => {
    assert.equal(serverDescription(server), "8x H100 · eu-west · Starting (booting)");
  });

  it("say of when an old row is", () => {
    assert.equal(serverDescription(server, "12:41"), "8x H100 · eu-west · Starting (booting) · as of 12:41");
  });

  it("say all to a screen reader", () => {
    assert.equal(
      serverSpoken(server, "12:41"),
      "trainer, status: Starting (booting), GPU: 8x H100, region: eu-west, private address: 10.0.0.5, not refreshed since 12:41",
    );
  });

  it("don't repeat a state that is the same word", () => {
    assert.equal(statusText({ ...server, status: "running", statusText: fact("RUNNING") }), "Running");
  });

  it("show an unknown state as the gateway says it", () => {
    assert.equal(statusText({ ...server, status: "unknown", statusText: fact("Quiescing") }), "Quiescing");
    assert.equal(statusText({ ...server, status: "unknown", statusText: fact("16") }), "Status: 16");
  });

  it("name a server by its id or its place where it has no name", () => {
    assert.equal(serverName({ key: "7", id: fact("7"), status: "unknown", record: {} }), "7");
    assert.equal(serverName({ key: "#3", status: "unknown", record: null }), "Unnamed server #3");
  });

  it("hold no control characters, no marks that reorder text, and no more than a line", () => {
    const name = serverName({ ...server, name: fact(`a\n\u202eb\u0007\u200b${"x".repeat(5_000)}`) });
    assert.match(name, /^a b x+…$/);
    assert.ok(name.length <= 120);
  });
});

describe("sanitizeLabel", () => {
  it("leaves ordinary text of any language alone", () => {
    for (const text of ["gpu-1", "Zürich", "東京-1", "🚀 rocket", "שלום"])
      assert.equal(sanitizeLabel(text), text);
  });

  it("cuts no character in two", () => {
    assert.equal(sanitizeLabel("🚀🚀🚀", 4), "🚀…");
  });

  it("replaces half characters", () => {
    assert.equal(sanitizeLabel("a\ud800b"), "a\ufffdb");
  });
});

describe("serverRecordText", () => {
  it("is JSON with secrets masked and deceiving characters escaped", () => {
    const text = serverRecordText({ ...server, record: { token: "abc", name: "a\u202eb" } });
    assert.equal(text, '{\n  "token": "••••••",\n  "name": "a\\u202eb"\n}\n');
  });

  it("shows an entry that isn't a record", () => {
    assert.equal(serverRecordText({ ...server, record: "srv-1" }), '"srv-1"\n');
  });
});

describe("formatAge", () => {
  it("counts in the unit that fits", () => {
    assert.deepEqual([1_000, 45_000, 180_000, 7_200_000, 259_200_000].map(formatAge), [
      "1 second",
      "45 seconds",
      "3 minutes",
      "2 hours",
      "3 days",
    ]);
  });
});
