import assert from "node:assert/strict";
import {
  changeTimeoutMs,
  expectChange,
  expectedText,
  followChange,
  isLate,
  parseExpectedChange,
} from "../../../../src/core/servers/actions/expectedChange.ts";
import {
  actionFacts,
  offeredActions,
  shownChange,
} from "../../../../src/core/servers/actions/profileActions.ts";
import { readCloudActions } from "../../../../src/core/servers/actions/serverAction.ts";
import type { ActionKind } from "../../../../src/core/servers/actions/serverAction.ts";
import { rowDescription } from "../../../../src/core/servers/tree/rowLabels.ts";
import { createServer } from "../../../support/serverSections.ts";

const start = Date.UTC(2026, 10, 27, 10, 42);
const fact = (value: string) => ({ value, source: "x" });
const action = (kind: ActionKind, doneWhen: readonly string[] = []) => {
  const entry = { kind, name: "Do it", method: "POST", path: "/s/{id}/x", doneWhen };
  const [read] = readCloudActions({ actions: [entry] }).actions;
  assert.ok(read);
  return read;
};
const server = (status: "running" | "stopping" | "stopped" | "error", word: string = status) =>
  createServer("k", { status, statusText: fact(word) });

describe("The change that is expected after an action", () => {
  it("never says stopped before the list does, and then since when", () => {
    const change = expectChange(action("stop", ["EXITED"]), server("running"), start);
    assert.match(expectedText(change, server("running"), start + 1), /^Stopping \(requested /);
    const still = followChange(change, server("stopped", "off"), start + 1_000);
    assert.equal(still?.doneAt, undefined, "another word than the expected one");
    const done = followChange(change, server("stopped", "Exited"), start + 60_000);
    assert.equal(done?.doneAt, start + 60_000);
    assert.match(expectedText(done, server("stopped"), start), /^Stopped /);
    assert.equal(followChange(done, server("running"), start + 90_000), undefined);
  });

  it("is reported as missing after ten minutes, with the status of the list, and can be requested again", () => {
    const stop = action("stop");
    const change = expectChange(stop, server("running"), start);
    const changes = new Map([["k", change]]);
    const of = { actions: [stop], hasConsole: true, changes };
    const late = start + changeTimeoutMs;
    assert.equal(isLate(change, late - 1), false);
    assert.deepEqual(actionFacts(of, server("running"), late - 1), ["hasConsole"], "nothing is sent twice");
    assert.deepEqual(offeredActions(of, server("running"), late - 1), [], "even if it was asked for twice");
    assert.match(expectedText(change, server("running"), late), /^Still running; stop was requested /);
    assert.deepEqual(actionFacts(of, server("running"), late), ["canStop", "hasConsole", "late"]);
    assert.deepEqual(followChange(change, server("running"), late), change);
  });

  it("is contradicted by a failure, by a server that is gone, and by another server in its place", () => {
    const change = expectChange(action("start"), server("stopped"), start);
    assert.equal(followChange(change, server("error"), start), undefined);
    assert.equal(followChange(change, undefined, start), undefined);
    const other = createServer("k", { id: fact("other") });
    assert.equal(followChange(change, other, start), undefined);
    assert.equal(
      shownChange({ actions: [], hasConsole: false, changes: new Map([["k", change]]) }, other, start),
      undefined,
    );
  });

  it("of a reboot isn't confirmed by a server that never stopped running", () => {
    const change = expectChange(action("reboot", ["running"]), server("running"), start);
    assert.deepEqual(followChange(change, server("running"), start + 60_000), change);
    const left = followChange(change, server("stopping"), start + 1);
    assert.equal(left?.hasLeft, true);
    assert.equal(followChange(left, server("running"), start + 2), undefined);
    const restarted = createServer("k", {
      statusText: fact("running"),
      startedAt: fact("2026-11-27T10:43:00Z"),
    });
    assert.equal(followChange(change, restarted, start + 60_000), undefined);
  });

  it("takes the place of the status in the row", () => {
    const change = { text: "Stopping (requested 10:42)", status: "stopping" } as const;
    const row = { kind: "server", id: "", key: "k", profileName: "p", mark: undefined } as const;
    assert.match(
      rowDescription({ ...row, staleSince: undefined, server: server("running"), change }),
      /^Stopping \(requested 10:42\)/,
    );
  });

  it("survives the session that requested it", () => {
    const change = expectChange(action("stop"), server("running"), start);
    assert.deepEqual(parseExpectedChange(JSON.parse(JSON.stringify(change))), change);
    for (const value of [undefined, 1, {}, { ...change, kind: "delete" }, { ...change, serverId: 7 }])
      assert.equal(parseExpectedChange(value), undefined);
  });
});
