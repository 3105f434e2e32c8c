import assert from "node:assert/strict";
import type { Server, ServerStatus } from "../../../../src/core/servers/server.ts";
import { plainArrangement } from "../../../../src/core/servers/arrange/groupServers.ts";
import { rowDescription } from "../../../../src/core/servers/tree/rowLabels.ts";
import { ServerTreeRows } from "../../../../src/core/servers/tree/serverTreeRows.ts";
import { createSection, createServer } from "../../../support/serverSections.ts";

const minute = 60_000;
const begin = Date.UTC(2026, 10, 24, 10);
const fact = (value: string) => ({ value, source: "x" });
const ago = (ms: number) => fact(new Date(begin - ms).toISOString());

/** Lists the server in these states, and returns what its row says after each. */
function rowsOf(
  ...lists: readonly (readonly [atMinute: number, status: ServerStatus, parts?: Partial<Server>])[]
): readonly string[] {
  let now = begin;
  const rows = new ServerTreeRows(() => now);
  return lists.map(([atMinute, status, parts]) => {
    now = begin + atMinute * minute;
    const listed = createSection([createServer("a", { status, ...parts })], { listedAt: now });
    rows.update([listed], plainArrangement);
    const [row] = rows.servers;
    assert.ok(row);
    return rowDescription(row);
  });
}

describe("The status in a server's row", () => {
  it("includes for how long a server has been starting, and why it isn't ready", () => {
    const pulling = { statusReason: fact("pulling image") };
    assert.deepEqual(rowsOf([0, "stopped"], [1, "starting"], [5, "starting", pulling]), [
      "Stopped",
      "Starting for 0 s",
      "Starting for 4 min · pulling image",
    ]);
    assert.deepEqual(rowsOf([0, "starting", { statusSince: ago(7 * minute) }]), ["Starting for 7 min"]);
  });

  it("doesn't claim to know when a change happened that no list has shown", () => {
    assert.deepEqual(rowsOf([0, "starting"], [5, "starting"]), ["Starting", "Starting"]);
    const future = { statusSince: fact(new Date(begin + 60 * minute).toISOString()) };
    assert.deepEqual(rowsOf([0, "starting", future]), ["Starting"]);
  });

  it("includes when and why a server has failed", () => {
    const failed = { statusReason: fact("CUDA driver error"), statusSince: ago(12 * minute) };
    assert.deepEqual(rowsOf([0, "error", failed]), ["Failed 12 min ago: CUDA driver error"]);
    assert.deepEqual(rowsOf([0, "error"]), ["Error"]);
  });

  it("includes for how many days a server has been running", () => {
    assert.deepEqual(rowsOf([0, "running", { startedAt: ago(9 * 1_440 * minute) }]), ["Running for 9 d"]);
    assert.deepEqual(rowsOf([0, "running", { startedAt: ago(90 * minute) }]), ["Running"]);
    assert.deepEqual(rowsOf([0, "running", { createdAt: ago(9 * 1_440 * minute) }]), ["Running"]);
  });

  it("is drawn again when its time changes, and otherwise not", () => {
    let now = begin;
    const rows = new ServerTreeRows(() => now);
    const section = createSection([createServer("a", { status: "starting", statusSince: ago(minute) })]);
    rows.update([section], plainArrangement);
    now += 1_000;
    assert.equal(rows.update([section], plainArrangement), "none");
    now += minute;
    assert.equal(rows.update([section], plainArrangement).length, 1);
  });

  it("is a single line, whatever the gateway gives as a reason", () => {
    const [text] = rowsOf([0, "error", { statusReason: fact(`a\n\u202eb${"c".repeat(500)}`) }]);
    assert.ok((text ?? "").length < 120);
    assert.doesNotMatch(text ?? "", /[\n\u202e]/);
  });
});
