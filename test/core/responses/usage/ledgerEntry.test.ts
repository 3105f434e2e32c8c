import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { Budget } from "../../../../src/core/conversation/budget.ts";
import { LedgerEntry } from "../../../../src/core/responses/usage/ledgerEntry.ts";
import type {
  LedgerEnd,
  LedgerProgress,
  LedgerStart,
  LedgerStore,
} from "../../../../src/core/responses/usage/ledgerRow.ts";

/** What happened to the only row. */
class Row implements LedgerStore {
  entered = 0;
  ended: LedgerEnd | undefined;
  readonly notes: LedgerProgress[] = [];

  start: LedgerStart | undefined;

  enter: LedgerStore["enter"] = (start, limit) => {
    if (limit !== undefined && this.reserved !== undefined) {
      const dollar = (amount: number) => ({ amount, currency: "USD" });
      return { period: "day", spent: dollar(0.061), reserved: dollar(this.reserved), limit: dollar(0.071) };
    }
    this.entered++;
    this.start = start;
    return undefined;
  };
  end: LedgerStore["end"] = (_start, end) => void (this.ended = end);
  note: LedgerStore["note"] = (_id, progress) => void this.notes.push(progress);
  read = () => [];
  totals = () => [];
  spentSince = () => [];
  usual: number | undefined;
  usualOutput = () => this.usual;
  /** What requests in progress have reserved. */
  reserved: number | undefined;
  close = (): void => undefined;
}

describe("The entry of a request", () => {
  let row: Row;
  let budget: Budget | undefined;
  /** Monotonic milliseconds. */
  let time: number;
  beforeEach(() => {
    row = new Row();
    budget = { daily: 5, currency: "USD" };
    time = 0;
  });

  function createEntry(model = "lab/a"): LedgerEntry {
    const context = {
      now: () => 1_000,
      monotonic: () => time,
      createId: () => "1",
      budget: () => budget,
      prices: () => ({ "lab/a": { input: 1_000, output: 1_000, currency: "USD" } }),
      workspace: () => undefined,
      reportError: (error: unknown) => assert.ifError(error),
      pause: (ms: number) => {
        time += ms;
        return setImmediate();
      },
      locale: "en",
      attempt: async <Result>(action: (store: LedgerStore) => Result) => action(row),
    };
    const messages = [{ role: "user", content: "x".repeat(3_984) }] as const;
    return new LedgerEntry(context, { model, messages, stream: true }, { purpose: "response", profile: "p" });
  }

  async function settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn++) await setImmediate();
  }

  it("no longer waits once the request is stopped", async () => {
    row.reserved = 0.01;
    const entry = createEntry();
    const entering = entry.enter(false);
    await settle();
    entry.onEnd("stopped");
    await entering;
    await settle();
    assert.deepEqual([row.entered, row.ended?.outcome, row.ended?.attempts], [0, "stopped", 0]);
    assert.ok(time < 120_000);
  });

  it("waits for requests in progress that have reserved the rest of the budget, and then says what is spent", async () => {
    row.reserved = 0.01;
    const entering = createEntry().enter(false);
    await settle();
    assert.equal(row.entered, 0);
    row.reserved = undefined;
    await entering;
    assert.equal(row.entered, 1);
    row.reserved = 0.01;
    await assert.rejects(createEntry().enter(false), {
      message:
        "Of today's budget of $0.071, $0.061 is spent and $0.010 is reserved for requests in progress. Nothing has been sent yet.",
    });
    assert.ok(time >= 120_000);
    budget = undefined;
    await createEntry().enter(false);
    assert.equal(row.entered, 2);
  });

  it("reserves as much as a response of its model usually costs, not more", async () => {
    for (const [usual, amount] of [
      [undefined, 17],
      [20, 1.02],
      [3_000, 4],
    ] as const) {
      row.usual = usual;
      await createEntry().enter(false);
      assert.equal(row.start?.reserved?.amount, amount);
    }
  });

  it("contains what was sent and received, in case its window is killed", async () => {
    for (const [model, cost] of [
      ["lab/a", { reserved: { amount: 17, currency: "USD" }, received: { amount: 1, currency: "USD" } }],
      ["lab/unpriced", {}],
    ] as const) {
      row = new Row();
      const entry = createEntry(model);
      await entry.enter(false);
      entry.onRequest();
      entry.onHead({ statusCode: 200, headers: {}, requestId: "r" });
      entry.onEvent({ type: "text", text: "short" });
      const usage = { promptTokens: 1_000, completionTokens: 0 };
      assert.deepEqual(row.notes, [
        { attempts: 1, usage, ...cost },
        { attempts: 1, usage, ...cost, requestId: "r" },
      ]);
      entry.onEvent({ type: "text", text: "y".repeat(4_000) });
      assert.deepEqual(row.notes.at(-1)?.usage, { promptTokens: 1_000, completionTokens: 1_002 });
      for (let piece = 0; piece < 400; piece++) entry.onEvent({ type: "text", text: "y".repeat(40) });
      const noted = row.notes.at(-1)?.usage.completionTokens ?? 0;
      assert.ok(noted > 4_400 && row.notes.length < 40, `${noted} tokens, ${row.notes.length} notes`);
    }
  });

  it("counts a request that was sent again over a new connection, because the server was closing the old one", async () => {
    const entry = createEntry();
    await entry.enter(false);
    entry.onRequest();
    entry.onConnection();
    entry.onConnection();
    entry.onRequest();
    entry.onConnection();
    entry.onEnd("complete");
    await settle();
    assert.equal(row.ended?.attempts, 3);
  });
});
