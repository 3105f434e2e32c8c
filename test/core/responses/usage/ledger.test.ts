import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type {
  CompletionEvent,
  CompletionObserver,
  CompletionPort,
  CompletionRequest,
} from "../../../../src/core/conversation/completion.ts";
import { ServiceError } from "../../../../src/core/kernel/errors.ts";
import { ExchangeLog } from "../../../../src/core/responses/exchange/exchangeLog.ts";
import type { KeptExchange } from "../../../../src/core/responses/exchange/exchangeLog.ts";
import { findExcess } from "../../../../src/core/conversation/budget.ts";
import type { Budget } from "../../../../src/core/conversation/budget.ts";
import { Ledger, sentBy } from "../../../../src/core/responses/usage/ledger.ts";
import type {
  LedgerEnd,
  LedgerLimit,
  LedgerProgress,
  LedgerStart,
  LedgerStore,
} from "../../../../src/core/responses/usage/ledgerRow.ts";
import { sumCosts } from "../../../../src/core/conversation/prices.ts";

const request: CompletionRequest = {
  model: "lab/a",
  messages: [{ role: "user", content: "x".repeat(3_984) }],
  stream: true,
};

/** The rows in memory. */
class Rows implements LedgerStore {
  readonly rows = new Map<string, LedgerStart & Partial<LedgerEnd>>();
  isFull = false;
  accesses = 0;
  readonly reservations: number[] = [];

  enter(start: LedgerStart, limit: LedgerLimit | undefined) {
    this.#access();
    const spent = this.spentSince();
    const excess =
      limit === undefined ? undefined : findExcess(limit.budget, { day: spent, month: spent }, limit.least);
    if (excess === undefined) this.rows.set(start.id, start);
    return excess;
  }

  end(start: LedgerStart, end: LedgerEnd): void {
    this.#access();
    this.rows.set(start.id, { ...start, ...end });
  }

  note(id: string, { reserved }: LedgerProgress): void {
    const row = this.rows.get(id);
    if (row === undefined || row.outcome !== undefined || reserved === undefined) return;
    if (reserved.amount !== row.reserved?.amount) this.reservations.push(reserved.amount);
    this.rows.set(id, { ...row, reserved });
  }

  read = () => [];
  totals = () => [];
  /** The output tokens of earlier responses. */
  usual: number | undefined;

  usualOutput(): number | undefined {
    const ended = [...this.rows.values()].flatMap((row) => row.usage?.completionTokens ?? []);
    return ended.length === 0 ? this.usual : ended.reduce((sum, tokens) => sum + tokens, 0) / ended.length;
  }

  spentSince() {
    const all = [...this.rows.values()];
    const reserved = all.flatMap((row) => (row.outcome === undefined ? (row.reserved?.amount ?? []) : []));
    return sumCosts(all.flatMap((row) => row.cost ?? row.reserved ?? [])).map((cost) => ({
      ...cost,
      reserved: reserved.reduce((sum, amount) => sum + amount, 0),
    }));
  }

  get last(): (LedgerStart & Partial<LedgerEnd>) | undefined {
    return [...this.rows.values()].at(-1);
  }

  #access(): void {
    this.accesses++;
    if (this.isFull) throw new Error("full");
  }
}

/** Sends the request once and reports these events. */
function port(events: readonly CompletionEvent[], error?: unknown): CompletionPort & { sent: number } {
  return {
    sent: 0,
    complete(_request, { exchange }: CompletionObserver) {
      this.sent++;
      exchange?.onRequest({ method: "POST", url: "", headers: {}, body: "" });
      return {
        events: (async function* () {
          for (const event of events) {
            exchange?.onEvent(event);
            yield event;
          }
          if (error !== undefined) {
            exchange?.onFailure(error);
            exchange?.onEnd("failed");
            throw error;
          }
          exchange?.onEnd("complete");
        })(),
        stop: () => exchange?.onEnd("stopped"),
      };
    },
  };
}

describe("The ledger", () => {
  let rows: Rows;
  let budget: Budget | undefined;
  let errors: unknown[];
  let attempts: number;
  let ledger: Ledger;
  let exchanges: ExchangeLog;
  /** What the log has stored, by the IDs of the rows. */
  let stored: Map<string, KeptExchange>;
  beforeEach(() => {
    stored = new Map();
    exchanges = new ExchangeLog({
      store: {
        find: (id) => Promise.resolve(stored.get(id)),
        ofMessage: () => Promise.resolve([]),
        save(owner, exchange) {
          stored.set(owner.id, { owner, exchange });
          return Promise.resolve();
        },
      },
      now: () => 1_000,
      monotonic: () => 0,
      reportError: (error) => errors.push(error),
    });
    rows = new Rows();
    budget = undefined;
    errors = [];
    attempts = 0;
    let id = 0;
    ledger = new Ledger({
      attempt: async (action) => {
        attempts++;
        return action(rows);
      },
      now: () => 1_000,
      monotonic: () => 0,
      createId: () => String(++id),
      budget: () => budget,
      prices: () => ({ "lab/a": { input: 1_000, output: 1_000, currency: "USD" } }),
      workspace: () => "work",
      pause: () => setImmediate(),
      reportError: (error) => errors.push(error),
      exchanges,
      locale: "en",
    });
  });

  async function send(to: CompletionPort, observer: CompletionObserver = {}): Promise<CompletionEvent[]> {
    const events: CompletionEvent[] = [];
    for await (const event of ledger.keep(to, "p").complete(request, observer).events) events.push(event);
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    return events;
  }

  const usage = { promptTokens: 900, completionTokens: 100 };

  it("opens its store ahead of the first request", () => {
    ledger.prepare();
    assert.equal(attempts, 1);
  });

  it("has a row for a request with its sender, tokens and cost", async () => {
    const to = port([{ type: "usage", usage }]);
    const sender = () => ({ extension: "x.y", conversationId: "c" });
    const run = sentBy(ledger.keep(to, "p"), sender).complete(request, { purpose: "title", messageId: "m" });
    for await (const event of run.events) assert.equal(event.type, "usage");
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    assert.deepEqual(rows.last, {
      ...{ id: "1", startedAt: 1_000, purpose: "title", profile: "p", model: "lab/a", workspace: "work" },
      ...{ extension: "x.y", conversationId: "c", messageId: "m", outcome: "complete", attempts: 1 },
      ...{ durationMs: 0, usage, isEstimated: false, cost: { amount: 1, currency: "USD" } },
    });
  });

  it("estimates the tokens of a response whose server reports none", async () => {
    await send(port([{ type: "text", text: "y".repeat(400) }]));
    assert.deepEqual(rows.last?.usage, { promptTokens: 1_000, completionTokens: 100 });
    assert.equal(rows.last?.isEstimated, true);
  });

  it("counts a rejected request without a cost", async () => {
    const error = new ServiceError({ reason: "badRequest", message: "no" });
    await assert.rejects(send(port([], error)));
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    assert.equal(rows.last?.outcome, "failed");
    assert.equal(rows.last?.reason, "badRequest");
    assert.equal(rows.last?.cost, undefined);
  });

  it("sends nothing over the budget, even if many requests begin at the same time", async () => {
    budget = { daily: 5, currency: "USD" };
    const to = port([{ type: "usage", usage }]);
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => send(to)));
    const refused = results.filter((result) => result.status === "rejected");
    // The others have waited until the budget was spent, not only reserved.
    assert.equal(to.sent, 5);
    assert.equal(refused.length, 20 - to.sent);
    for (const { reason } of refused) {
      assert.ok(reason instanceof ServiceError);
      assert.equal(reason.reason, "budget");
    }
    const spent = rows.spentSince()[0]?.amount ?? 0;
    assert.ok(spent <= 5, String(spent));
  });

  it("sends a request over the budget if the user has allowed it", async () => {
    budget = { daily: 0.5, currency: "USD" };
    const to = port([{ type: "usage", usage }]);
    await assert.rejects(send(to), /exceed|budget/);
    assert.equal(to.sent, 0);
    assert.equal(rows.last?.outcome, "refused");
    await send(to, { sender: { mayExceedBudget: true } });
    assert.equal(to.sent, 1);
  });

  it("reserves more while a response is longer than expected", async () => {
    budget = { daily: 100, currency: "USD" };
    rows.usual = 500;
    const reserved: number[] = [];
    const long = port(Array.from({ length: 40 }, () => ({ type: "text", text: "y".repeat(400) }) as const));
    for await (const { type } of ledger.keep(long, "p").complete(request, {}).events) {
      assert.equal(type, "text");
      await setImmediate();
      reserved.push(rows.last?.reserved?.amount ?? 0);
    }
    assert.deepEqual([...new Set(reserved)].slice(0, 4), [1.5, 2, 3, 5]);
  });

  it("sends nothing if a budget can't be checked, and everything if there is none", async () => {
    rows.isFull = true;
    const to = port([]);
    await send(to);
    assert.equal(to.sent, 1);
    budget = { daily: 100, currency: "USD" };
    await assert.rejects(send(to), { reason: "budget" });
    assert.equal(to.sent, 1);
  });

  it("doesn't delay a request if the rows can't be written at all", async () => {
    rows.isFull = true;
    const to = port([]);
    await send(to);
    assert.equal(to.sent, 1);
    assert.equal(rows.accesses, 2);
    assert.equal(errors.length, 2);
  });

  it("reserves at once for all of a response that arrives in one piece, and rarely for one without a limit", async () => {
    rows.usual = 500;
    await send(port([{ type: "text", text: "y".repeat(40_000) }]));
    assert.deepEqual(rows.reservations, [11]);
    const to = port(Array.from({ length: 40 }, () => ({ type: "text", text: "y".repeat(40) }) as const));
    const zero = { ...request, maxTokens: 0 };
    for await (const { type } of ledger.keep(to, "p").complete(zero, {}).events) assert.equal(type, "text");
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    assert.deepEqual(rows.reservations, [11, 1.5]);
  });

  it("ends the row of a request that was stopped before it was sent", async () => {
    const to = port([]);
    const run = ledger.keep(to, "p").complete(request, {});
    const first = run.events[Symbol.asyncIterator]().next();
    run.stop();
    await first;
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    assert.equal(to.sent, 0);
    assert.equal(rows.last?.outcome, "stopped");
    assert.equal(rows.last?.cost, undefined);
  });

  it("has no row for a request that was stopped before its response was read", async () => {
    const to = port([]);
    const run = ledger.keep(to, "p").complete(request, {});
    run.stop();
    for await (const event of run.events) assert.fail(event.type);
    assert.deepEqual([to.sent, rows.last], [0, undefined]);
  });

  it("records the wire traffic of each request under the ID of its row, and with the message of our own chats", async () => {
    const sender = { conversationId: "c" };
    const sent = { method: "POST", url: "https://a.example/v1/embeddings", headers: {}, body: "{}" };
    const kept = { purpose: "apiRequest", profile: "p", model: "lab/a", input: "x", sent } as const;
    await send(port([]), { purpose: "nativeChat", messageId: "theirs" });
    await send(port([]), { sender, messageId: "m" });
    await send(port([]), { sender, messageId: "m", purpose: "title" });
    await ledger.keepRequest(kept, () => Promise.resolve({ isGood: true }));
    await exchanges.flush();
    assert.deepEqual(
      [...stored.values()].map(({ owner }) => owner),
      [{ id: "1" }, { id: "2", ...sender, messageId: "m" }, { id: "3", ...sender }, { id: "4" }],
    );
    assert.deepEqual(stored.get("4")?.exchange.attempts[0]?.request, sent);
    assert.equal((await exchanges.ofMessage("c", "m")).length, 1);
  });

  it("has a row for a request that isn't a completion, which the budget refuses as well", async () => {
    const kept = {
      purpose: "apiRequest",
      profile: "p",
      model: "lab/a",
      input: "x".repeat(400),
      maxTokens: 0,
    } as const;
    const answer = {
      isGood: true,
      usage: { promptTokens: 90, completionTokens: 0 },
      requestId: "r",
      text: "ok",
    };
    assert.equal((await ledger.keepRequest(kept, async () => answer)).text, "ok");
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    const { outcome, attempts, usage: tokens, requestId, isEstimated } = rows.last ?? {};
    assert.deepEqual(
      [outcome, attempts, tokens, requestId, isEstimated],
      ["complete", 1, answer.usage, "r", false],
    );
    await assert.rejects(
      ledger.keepRequest(kept, () => Promise.reject(new Error("stopped"))),
      /stopped/,
    );
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    assert.equal(rows.last?.outcome, "stopped");
    budget = { daily: 0.01, currency: "USD" };
    await assert.rejects(
      ledger.keepRequest(kept, () => assert.fail("It was sent.")),
      /budget/,
    );
  });
});
