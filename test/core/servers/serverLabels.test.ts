import assert from "node:assert/strict";
import { sanitizeLabel } from "../../../src/core/kernel/foreignText.ts";
import type { Server, ServerFact } from "../../../src/core/servers/server.ts";
import { formatAge } from "../../../src/core/kernel/formatTime.ts";
import { serverRecordText } from "../../../src/core/servers/details/serverDetails.ts";
import { rowDescription, rowSpoken } from "../../../src/core/servers/tree/rowLabels.ts";
import { shownFacts } from "../../../src/core/servers/serverFacts.ts";
import { writePrice } from "../../../src/core/servers/serverPrice.ts";
import { cellOf } from "../../../src/core/servers/serverProperties.ts";
import { serverName, statusText } from "../../../src/core/servers/serverLabels.ts";

const fact = (value: string): ServerFact => ({ value, source: "x" });
const server: Server = {
  key: "1",
  id: fact("1"),
  name: fact("trainer"),
  status: "starting",
  statusText: fact("booting"),
  gpu: fact("8 × NVIDIA H100"),
  region: fact("eu-west"),
  address: fact("10.0.0.5"),
  isPrivateAddress: true,
  record: {},
};

const priceValue = (amount: number): string =>
  writePrice({ amount, currency: "USD", perGpu: false, isEstimate: false });

describe("The labels of a row", () => {
  it("contain status and GPU, with the gateway's own word if it differs, without region and vendor", () => {
    assert.equal(rowDescription({ server }), "Starting (booting) · 8 × H100");
  });

  it("leave out the vendor, however it is written", () => {
    for (const gpu of ["NVIDIA_H100", "nvidia-H100", "NVIDIA® H100", "AMD H100"])
      assert.equal(
        rowDescription({ server: { ...server, gpu: fact(`8 × ${gpu}`) } }),
        "Starting (booting) · 8 × H100",
      );
  });

  it("show of a stopped server what it still costs, not what it cost while it ran", () => {
    const price = { value: priceValue(3.96), source: "x" };
    const stopped = { ...server, status: "stopped", statusText: undefined, price } as const;
    const rowAndCell = (shown: Server): readonly unknown[] => [
      rowDescription({ server: shown }),
      cellOf({ server: shown, profileName: "p" }, "price"),
    ];
    const costing = (amount: number): readonly unknown[] =>
      rowAndCell({ ...stopped, costNow: { value: priceValue(amount), source: "x" } });
    assert.deepEqual(rowAndCell(stopped), ["Stopped · 8 × H100", ""]);
    assert.deepEqual(costing(0), ["Stopped · 8 × H100", ""]);
    assert.deepEqual(costing(0.42), ["Stopped · $0.42/h · 8 × H100", "$0.42/h"]);
    const failed = ["Error · $3.96/h · 8 × H100", "$3.96/h"];
    assert.deepEqual(rowAndCell({ ...stopped, status: "error" }), failed);
    const inHover = shownFacts(stopped, ["row"]).find(({ name }) => name === "price");
    assert.equal(inHover?.text, "$3.96/h");
  });

  it("begin with what a running server does, since a narrow view cuts off the end", () => {
    const price = { value: priceValue(24), source: "x" };
    const running = { ...server, status: "running", statusText: undefined, price } as const;
    assert.equal(
      rowDescription({ server: running, status: "Running for 9 d" }),
      "Running for 9 d · $24.00/h · 8 × H100",
    );
    const used = { ...running, gpuUse: fact("71%") };
    const description = "GPU 71% · $24.00/h · 8 × H100 · Running for 9 d";
    assert.equal(rowDescription({ server: used, status: "Running for 9 d" }), description);
    const change = { text: "Stopping (requested 10:42)", status: "stopping" } as const;
    assert.match(rowDescription({ server: used, change }), /^Stopping \(requested 10:42\) · \$24/);
  });

  it("show the time of an outdated row", () => {
    assert.equal(
      rowDescription({ server, staleSince: "12:41" }),
      "Starting (booting) · 8 × H100 · as of 12:41",
    );
  });

  it("give a screen reader all details", () => {
    assert.equal(
      rowSpoken({ server, staleSince: "12:41" }),
      "trainer, Status: Starting (booting), GPU: 8 × NVIDIA H100, Region: eu-west, Private address: 10.0.0.5, not refreshed since 12:41",
    );
  });

  it("don't repeat a status that is the same word", () => {
    for (const word of ["RUNNING", "VM running", "INSTANCE_STATE_RUNNING"])
      assert.equal(statusText({ ...server, status: "running", statusText: fact(word) }), "Running");
  });

  it("show an unknown status in the gateway's own words", () => {
    assert.equal(statusText({ ...server, status: "unknown", statusText: fact("Quiescing") }), "Quiescing");
    assert.equal(statusText({ ...server, status: "unknown", statusText: fact("16") }), "Status: 16");
  });

  it("name a server by its ID or position if it has no name", () => {
    assert.equal(serverName({ key: "7", id: fact("7"), status: "unknown", record: {} }), "7");
    assert.equal(serverName({ key: "#3", status: "unknown", record: null }), "Unnamed server #3");
  });

  it("contain no control characters, no marks that reorder text and only one line", () => {
    const name = serverName({ ...server, name: fact(`a\n\u202eb\u0007\u200b${"x".repeat(5_000)}`) });
    assert.match(name, /^a b x+…$/);
    assert.ok(name.length <= 120);
  });
});

describe("sanitizeLabel", () => {
  it("leaves ordinary text in any language unchanged", () => {
    for (const text of ["gpu-1", "Zürich", "東京-1", "🚀 rocket", "שלום"])
      assert.equal(sanitizeLabel(text), text);
  });

  it("splits no character", () => {
    assert.equal(sanitizeLabel("🚀🚀🚀", 4), "🚀…");
  });

  it("replaces unpaired surrogates", () => {
    assert.equal(sanitizeLabel("a\ud800b"), "a\ufffdb");
  });
});

describe("serverRecordText", () => {
  it("is JSON with masked secrets and escaped deceptive characters", () => {
    const text = serverRecordText({ ...server, record: { token: "abc", name: "a\u202eb" } });
    assert.equal(text, '{\n  "token": "••••••",\n  "name": "a\\u202eb"\n}\n');
  });

  it("shows an entry that isn't an object", () => {
    assert.equal(serverRecordText({ ...server, record: "srv-1" }), '"srv-1"\n');
  });
});

describe("formatAge", () => {
  it("uses the largest fitting unit", () => {
    assert.deepEqual([1_000, 45_000, 180_000, 7_200_000, 259_200_000].map(formatAge), [
      "1 second",
      "45 seconds",
      "3 minutes",
      "2 hours",
      "3 days",
    ]);
  });
});
