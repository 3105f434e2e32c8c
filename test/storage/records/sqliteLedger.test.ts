import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import type { Cost } from "../../../src/core/conversation/prices.ts";
import type {
  LedgerEnd,
  LedgerProgress,
  LedgerStart,
  LedgerStore,
} from "../../../src/core/responses/usage/ledgerRow.ts";
import { budgetPeriods } from "../../../src/core/conversation/budget.ts";
import { RecordsFolder } from "../../support/recordsFolder.ts";

const day = 86_400_000;
const now = new Date(2026, 10, 15, 12).getTime();
const dollar = (amount: number) => ({ amount, currency: "USD" });

describe("The usage records", () => {
  let folder: RecordsFolder;
  beforeEach(() => {
    folder = new RecordsFolder();
    folder.now = now;
  });
  afterEach(() => folder.remove());

  function openStore(time = now): LedgerStore {
    folder.now = time;
    let store: LedgerStore | undefined;
    // Nothing has locked the file, so this is done at once.
    void folder.open().attempt(({ ledger }) => (store = ledger));
    assert.ok(store);
    return store;
  }

  function start(id: string, change: Partial<LedgerStart> = {}): LedgerStart {
    return { id, startedAt: now, purpose: "response", profile: "p", model: "lab/a", ...change };
  }

  function end(change: Partial<LedgerEnd> = {}): LedgerEnd {
    return { outcome: "complete", attempts: 1, durationMs: 5, usage: {}, isEstimated: false, ...change };
  }

  /** Another process enters a request and what is known about it, and is killed. */
  function enterAndBeKilled(
    reserved: Cost,
    progress: LedgerProgress,
    change: Partial<LedgerStart> = {},
  ): void {
    const module = new URL("../../support/recordsFolder.ts", import.meta.url).href;
    const script = `
      const { openRecords } = await import(${JSON.stringify(module)});
      const records = openRecords(${JSON.stringify(folder.file)}, { now: () => ${now} });
      await records.attempt(({ ledger }) => {
        ledger.enter(${JSON.stringify(start("killed", { reserved, ...change }))}, undefined);
        ledger.note("killed", ${JSON.stringify(progress)});
      });
      process.kill(process.pid, "SIGKILL");`;
    spawnSync(process.execPath, [
      "--disable-warning=ExperimentalWarning",
      "--input-type=module",
      "-e",
      script,
    ]);
  }

  /** Makes the only request one of this window. */
  function moveTo(window: string): void {
    folder.openDatabase().prepare("UPDATE request SET window = ?").run(window);
  }

  const limit = (daily: number, least?: number) => ({
    budget: { daily, currency: "USD" },
    periods: budgetPeriods(now),
    ...(least === undefined ? {} : { least: dollar(least) }),
  });

  it("keep what was entered about a request", () => {
    const store = openStore();
    const entered = start("a", { extension: "x.y", workspace: "w", conversationId: "c", messageId: "m" });
    store.enter(entered, undefined);
    const usage = { promptTokens: 3, cachedTokens: 1, completionTokens: 2, reasoningTokens: 1 };
    const ended = end({ attempts: 2, usage, cost: dollar(0.5), requestId: "r", reason: "unavailable" });
    store.end(entered, ended);
    assert.deepEqual(openStore().read(0), [{ ...entered, ...ended }]);
  });

  it("refuse a request once the budget is used up, in every window", () => {
    const [left, right] = [openStore(), openStore()];
    assert.equal(left.enter(start("a", { reserved: dollar(1) }), limit(1)), undefined);
    const excess = { period: "day", spent: dollar(0), reserved: dollar(1), limit: dollar(1) };
    assert.deepEqual(right.enter(start("b", { reserved: dollar(1) }), limit(1)), excess);
    assert.deepEqual(
      right.read(0).map(({ id }) => id),
      ["a"],
    );
  });

  it("refuse a request that alone costs more than what is left of the budget", () => {
    const store = openStore();
    store.end(start("a"), end({ cost: dollar(0.8) }));
    const excess = { period: "day", spent: dollar(0.8), limit: dollar(1), least: dollar(0.3) };
    assert.deepEqual(store.enter(start("b"), limit(1, 0.3)), excess);
    assert.equal(store.enter(start("c"), limit(1, 0.1)), undefined);
  });

  it("know how long the model's latest responses were on average", () => {
    const store = openStore();
    assert.equal(store.usualOutput("lab/a"), undefined);
    for (const [id, completionTokens] of [40, 60, 81].entries())
      store.end(start(String(id)), end({ usage: { completionTokens } }));
    store.end(start("cut"), end({ outcome: "stopped", usage: { completionTokens: 9_000 } }));
    store.end(start("other", { model: "lab/b" }), end({ usage: { completionTokens: 9_000 } }));
    assert.equal(store.usualOutput("lab/a"), 61);
  });

  it("tell what is spent from what is reserved, and refuse for good only what was spent", () => {
    const store = openStore();
    store.end(start("a"), end({ cost: dollar(0.5) }));
    store.enter(start("b", { reserved: dollar(0.25) }), limit(1));
    assert.deepEqual(store.spentSince(0), [{ ...dollar(0.75), reserved: 0.25 }]);
    assert.deepEqual(
      store.totals(0).map(({ requests, cost }) => [requests, cost]),
      [[2, dollar(0.5)]],
    );
    const excess = { period: "day", spent: dollar(0.5), limit: dollar(0.75) };
    assert.deepEqual(store.enter(start("c"), limit(0.75, 0.1)), { ...excess, reserved: dollar(0.25) });
    assert.deepEqual(store.enter(start("c"), limit(0.75, 0.3)), { ...excess, least: dollar(0.3) });
    store.end(start("b"), end({ cost: dollar(0.125) }));
    assert.equal(store.enter(start("c"), limit(0.75, 0.1)), undefined);
  });

  it("replace what was reserved by what the request has cost", () => {
    const store = openStore();
    const entered = start("a", { reserved: dollar(5) });
    store.enter(entered, undefined);
    store.note("a", { attempts: 1, usage: {}, reserved: dollar(7) });
    assert.deepEqual(store.spentSince(0), [{ ...dollar(7), reserved: 7 }]);
    store.end(entered, end({ cost: dollar(2) }));
    store.note("a", { attempts: 1, usage: {}, reserved: dollar(9) });
    assert.deepEqual(store.spentSince(0), [dollar(2)]);
  });

  it("never reserve less for a running request than at its start", () => {
    const store = openStore();
    store.enter(start("b", { reserved: dollar(0.4) }), limit(2));
    for (const reserved of [dollar(0.02), undefined])
      store.note("b", { attempts: 1, usage: {}, ...(reserved === undefined ? {} : { reserved }) });
    assert.deepEqual(store.spentSince(0), [{ ...dollar(0.4), reserved: 0.4 }]);
    store.note("b", { attempts: 1, usage: {}, reserved: dollar(0.5) });
    assert.deepEqual(store.spentSince(0), [{ ...dollar(0.5), reserved: 0.5 }]);
  });

  it("count a request of a killed window as lost, with what was received until then", () => {
    const estimate = { promptTokens: 10, completionTokens: 500 };
    const received = dollar(2);
    enterAndBeKilled(dollar(3), { attempts: 2, usage: estimate, received, requestId: "r" });
    const [row] = openStore().read(0);
    assert.equal(row?.outcome, "lost");
    assert.equal(row.isEstimated, true);
    assert.deepEqual(row.cost, received);
    assert.deepEqual([row.attempts, row.usage, row.requestId], [2, estimate, "r"]);
  });

  it("let no request wait for one of a killed window", () => {
    const store = openStore();
    enterAndBeKilled(dollar(1), { attempts: 1, usage: {}, received: dollar(0.25) });
    assert.equal(store.enter(start("a", { reserved: dollar(0.01) }), limit(1)), undefined);
    assert.deepEqual(store.spentSince(0), [{ ...dollar(0.26), reserved: 0.01 }]);
  });

  it("leave a running request of a live window alone", () => {
    openStore().enter(start("a"), undefined);
    assert.equal(openStore().read(0)[0]?.outcome, "running");
  });

  it("leave a request of a window on another machine alone for a day, also if its process ID isn't in use here", () => {
    openStore().enter(start("a"), undefined);
    moveTo("other-machine:4194305");
    assert.equal(openStore(now + day).read(0)[0]?.outcome, "running");
    assert.equal(openStore(now + day + 1).read(0)[0]?.outcome, "lost");
  });

  it("count a request as lost after a day if another process has got the ID of its window's process", () => {
    openStore().enter(start("a"), undefined);
    moveTo(`${hostname()}:${process.ppid}`);
    assert.equal(openStore(now + day).read(0)[0]?.outcome, "running");
    assert.equal(openStore(now + day + 1).read(0)[0]?.outcome, "lost");
  });

  it("take in the end of a request whose window was suspended until another one counted it as lost", () => {
    const suspended = openStore();
    suspended.enter(start("a", { reserved: dollar(3) }), undefined);
    assert.equal(openStore(now + 2 * day).read(0)[0]?.outcome, "lost");
    suspended.end(start("a"), end({ cost: dollar(1) }));
    const [row] = openStore(now + 2 * day).read(0);
    assert.deepEqual([row?.outcome, row?.isEstimated, row?.cost], ["complete", false, dollar(1)]);
  });

  it("add up requests by the hour in UTC, profile, model and workspace, with estimates apart", () => {
    const store = openStore();
    const usage = { promptTokens: 10, completionTokens: 5 };
    const startedAt = Date.UTC(2026, 10, 14, 23, 59, 59, 999);
    const at = Date.UTC(2026, 10, 14, 23);
    store.end(start("a", { startedAt }), end({ usage, cost: dollar(1) }));
    store.end(
      start("b", { startedAt, purpose: "title" }),
      end({ usage, cost: dollar(2), isEstimated: true }),
    );
    store.end(start("c", { startedAt: startedAt + 1 }), end({ usage }));
    store.end(start("d", { startedAt, workspace: "w" }), end({ outcome: "failed" }));
    store.end(start("e", { startedAt }), end({ outcome: "refused", attempts: 0 }));
    const same = { profile: "p", model: "lab/a" };
    const costs = { cost: dollar(1), estimatedCost: dollar(2) };
    assert.deepEqual(store.totals(0), [
      { ...same, ...costs, at, requests: 2, promptTokens: 20, completionTokens: 10, unpriced: 0 },
      { ...same, at, workspace: "w", requests: 1, promptTokens: 0, completionTokens: 0, unpriced: 0 },
      { ...same, at: at + 3_600_000, requests: 1, promptTokens: 10, completionTokens: 5, unpriced: 1 },
    ]);
  });
});
