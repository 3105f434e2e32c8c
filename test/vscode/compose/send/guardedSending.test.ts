import assert from "node:assert/strict";
import { SendGate } from "../../../../src/core/compose/send/sendGate.ts";
import { ChatSession } from "../../../../src/core/conversation/chatSession.ts";
import type { CompletionEvent, CompletionPort } from "../../../../src/core/conversation/completion.ts";
import { temporaryStore } from "../../../support/storeFolder.ts";
import { summarize } from "../../../../src/core/conversation/summarize.ts";
import { Ledger } from "../../../../src/core/responses/usage/ledger.ts";
import type { LedgerRow } from "../../../../src/core/responses/usage/ledgerRow.ts";
import { GuardedSending } from "../../../../src/vscode/compose/send/guardedSending.ts";
import { watchTitles } from "../../../../src/vscode/conversation/titles.ts";
import { eventually } from "../../../support/eventually.ts";
import { RecordsFolder } from "../../../support/recordsFolder.ts";

/** Every request costs 10 input and 5 output tokens; those of users who say “Look” call a tool. */
class MeteredService implements CompletionPort {
  /** HTTP requests that fail before the next completion. */
  failures = 0;

  complete: CompletionPort["complete"] = ({ messages }, { exchange }) => {
    const send = (): void => exchange?.onRequest({ method: "POST", url: "", headers: {}, body: "" });
    for (; this.failures > 0; this.failures--) send();
    send();
    const mustLook = messages.at(-1)?.content === "Look";
    const call: CompletionEvent = { type: "toolCall", index: 0, id: "1", name: "look", arguments: "{}" };
    const events: readonly CompletionEvent[] = [
      mustLook ? call : { type: "text", text: "Fine." },
      { type: "usage", usage: { promptTokens: 10, completionTokens: 5 } },
      { type: "finish", reason: mustLook ? "tool_calls" : "stop" },
    ];
    return {
      events: (async function* () {
        try {
          for (const event of events) {
            exchange?.onEvent(event);
            yield event;
          }
        } finally {
          exchange?.onEnd("complete");
        }
      })(),
      stop: () => undefined,
    };
  };
}

describe("The usage of a conversation", () => {
  const prices = { "*": { input: 1_000, output: 1_000, currency: "USD" } };
  let folder: RecordsFolder;
  let ledger: Ledger;
  let service: MeteredService;
  let sending: GuardedSending;
  let ids = 0;

  beforeEach(() => {
    folder = new RecordsFolder();
    const records = folder.open();
    ledger = new Ledger({
      attempt: (action) => records.attempt(({ ledger: store }) => action(store)),
      now: () => Date.now(),
      monotonic: () => performance.now(),
      createId: () => `r${++ids}`,
      budget: () => undefined,
      prices: () => prices,
      workspace: () => undefined,
      pause: () => Promise.resolve(),
      reportError: (error) => assert.fail(String(error)),
      locale: "en",
    });
    service = new MeteredService();
    sending = new GuardedSending({
      gate: new SendGate({
        secretGuard: () => "off",
        prepare: () => undefined,
        findSecrets: async () => [],
        readBudget: async () => undefined,
        whenTooLong: () => "send",
        locale: "en",
      }),
      completions: ledger.keep(service, "p"),
      tools: {
        definitions: async (names) => names.map((name) => ({ name, description: "", parameters: {} })),
        run: () => ({ result: Promise.resolve({ outcome: "done", text: "A cat." }), stop: () => undefined }),
      },
      meters: { fit: (port) => port },
      ask: () => assert.fail("The user was asked."),
      stop: () => assert.fail("The conversation was stopped."),
    });
  });
  afterEach(() => folder.remove());

  function openConversation(id: string): ChatSession {
    const store = temporaryStore();
    const session = new ChatSession(
      {
        ...{ id, title: "Cats", createdAt: 1, updatedAt: 1, messages: [], model: "lab/a" },
        settings: { tools: ["look"] },
      },
      {
        completions: sending.forTurns(ledger.keep(service, "p"), id),
        tools: sending.tools,
        store,
        maxToolRounds: () => 10,
        now: () => Date.now(),
        createId: () => `m${++ids}`,
        defaultModel: async () => "lab/a",
        reportError: (error) => assert.fail(String(error)),
      },
    );
    const log = { debug: assert.fail, info: assert.fail, warn: assert.fail, error: assert.fail };
    watchTitles({ completions: (of) => sending.forTitles(of), log, isOn: () => true })(session, store);
    return session;
  }

  /** Waits until as many requests as these are complete. */
  const completed = (count: number): Promise<void> =>
    eventually(async () => {
      const rows = await ledger.read(0);
      assert.equal(rows.filter(({ outcome }) => outcome === "complete").length, count);
    });

  const rowsOf = async (conversationId: string): Promise<readonly LedgerRow[]> =>
    (await ledger.read(0)).filter((row) => row.conversationId === conversationId);

  it("includes its title, tool rounds, retries, summaries and replaced responses, as the totals of all requests do", async () => {
    const session = openConversation("c1");
    session.send("Hello");
    await completed(2);
    session.send("Look");
    await completed(4);
    service.failures = 1;
    session.regenerate(session.state.messages.at(-1)?.id ?? "");
    await completed(5);
    await summarize(sending.forTurns(ledger.keep(service, "p"), "c1"), session.state.messages, {
      model: "lab/a",
    }).summary;
    await completed(6);

    const rows = await ledger.read(0);
    assert.deepEqual(await rowsOf("c1"), rows);
    assert.deepEqual(rows.map(({ purpose }) => purpose).toSorted(), [
      ...["response", "response", "response", "response", "summary", "title"],
    ]);
    assert.equal(
      rows.reduce((sum, { attempts }) => sum + attempts, 0),
      7,
    );
    const totals = await ledger.totals(0);
    const sum = (of: (total: (typeof totals)[number]) => number): number =>
      totals.reduce((before, total) => before + of(total), 0);
    assert.deepEqual([sum(({ requests }) => requests), sum(({ promptTokens }) => promptTokens)], [6, 60]);
    assert.equal(sum(({ cost }) => cost?.amount ?? 0).toFixed(3), "0.090");
  });

  it("includes nothing of other conversations or of requests outside of any", async () => {
    for (const id of ["c1", "c2"]) openConversation(id).send("Hello");
    const outside = ledger
      .keep(service, "p")
      .complete(
        { model: "lab/a", messages: [{ role: "user", content: "Fix" }], stream: true },
        { purpose: "inlineEdit" },
      );
    for await (const event of outside.events) assert.notEqual(event.type, "toolCall");
    await completed(5);
    assert.equal((await rowsOf("c1")).length, 2);
    assert.equal((await rowsOf("c2")).length, 2);
  });
});
