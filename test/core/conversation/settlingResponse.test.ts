import assert from "node:assert/strict";
import type { CompletionEvent } from "../../../src/core/conversation/completion.ts";
import type { ToWebview } from "../../../src/core/panel/protocol.ts";
import { SessionView } from "../../../src/core/panel/sessionView.ts";
import { createSession } from "./createSession.ts";

const settling: CompletionEvent = { type: "settling", reason: "stop" };
const finish: CompletionEvent = { type: "finish", reason: "stop" };
const text = (value: string): CompletionEvent => ({ type: "text", text: value });

function open() {
  const { session, completions, store } = createSession();
  const posted: ToWebview[] = [];
  const view = new SessionView(
    session,
    (message) => posted.push(message),
    () => () => undefined,
  );
  return { session, completions, store, posted, view };
}

describe("A response that looks finished", () => {
  it("is shown as finished, continues if more arrives, and is stored completely", async () => {
    const { session, completions, store, posted } = open();
    session.send("Hello");
    const run = await completions.next();
    run.emit(text("one"), settling);
    await run.delivered();
    assert.equal(session.state.isStreaming, false);
    assert.equal(session.state.isOpen, true);
    assert.equal(session.state.messages.at(-1)?.status, "complete");
    assert.equal(store.load("c1")?.messages.at(-1)?.status, "streaming");
    run.emit(text(" two"));
    await run.delivered();
    assert.equal(session.state.isStreaming, true);
    assert.equal(session.state.messages.at(-1)?.text, "one two");
    const forms = posted.flatMap((message): (readonly (string | number)[])[] =>
      message.type === "messageChanged"
        ? [[message.type, message.change.status, message.length]]
        : message.type === "messageAdded"
          ? [[message.type, message.message.status, message.message.text.length]]
          : [],
    );
    assert.deepEqual(forms.slice(-2), [
      ["messageChanged", "complete", 3],
      ["messageAdded", "streaming", 3],
    ]);
    const delta = posted.findLast((message) => message.type === "delta");
    assert.deepEqual([delta?.textOffset, delta?.text], [3, " two"]);
    run.emit({ type: "usage", usage: { totalTokens: 3 } }, finish);
    run.end();
    await run.settled;
    const stored = store.load("c1")?.messages.at(-1);
    assert.deepEqual(
      [stored?.status, stored?.text, stored?.usage],
      ["complete", "one two", { totalTokens: 3 }],
    );
    assert.equal(session.state.isOpen, false);
  });

  it("doesn't delay the next message, and still receives late text", async () => {
    const { session, completions } = open();
    session.send("Hello");
    const first = await completions.next();
    first.emit(text("one"), settling);
    await first.delivered();
    assert.equal(session.send("And?"), "sent");
    const second = await completions.next();
    assert.deepEqual(second.request.messages, [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "one" },
      { role: "user", content: "And?" },
    ]);
    first.emit(text(" two"), finish);
    first.end();
    await first.settled;
    assert.equal(session.state.messages[1]?.text, "one two");
    assert.equal(session.state.isStreaming, true);
    session.stop();
    await second.settled;
  });

  it("is complete when it is stopped or VS Code exits", async () => {
    for (const end of ["stop", "dispose"] as const) {
      const { session, completions, store } = open();
      session.send("Hello");
      const run = await completions.next();
      run.emit(text("one"), settling);
      await run.delivered();
      session[end]();
      await run.settled;
      assert.equal(run.isStopped, true);
      assert.equal(store.load("c1")?.messages.at(-1)?.status, "complete");
    }
  });

  it("can be regenerated without being lost", async () => {
    const { session, completions } = open();
    session.send("Hello");
    const run = await completions.next();
    run.emit(text("one"), settling);
    await run.delivered();
    session.regenerate(session.state.messages.at(-1)?.id ?? "");
    const again = await completions.next();
    again.emit(text("other"), finish);
    again.end();
    await again.settled;
    assert.equal(session.state.versionsOf(session.state.messages[1] ?? assert.fail()).length, 2);
  });
});

describe("Text that turns out to be reasoning", () => {
  it("becomes reasoning in the message, in the store and on the page", async () => {
    const { session, completions, store, posted } = open();
    session.send("Hello");
    const run = await completions.next();
    run.emit(text("hm\n</thi"), { type: "reasoningEnd", dropped: 5 }, text("So."));
    await run.delivered();
    assert.equal(session.state.messages.at(-1)?.reasoning, "hm\n");
    const replaced = posted.findLast((message) => message.type === "messageAdded")?.message;
    assert.deepEqual([replaced?.reasoning, replaced?.text], ["hm\n", ""]);
    const delta = posted.findLast((message) => message.type === "delta");
    assert.deepEqual([delta?.textOffset, delta?.reasoningOffset, delta?.text], [0, 3, "So."]);
    run.emit(finish);
    run.end();
    await run.settled;
    const stored = store.load("c1")?.messages.at(-1);
    assert.deepEqual([stored?.reasoning, stored?.text], ["hm\n", "So."]);
  });
});

describe("A response without text", () => {
  for (const [name, events, words] of [
    ["nothing at all", [finish], /response is empty.*Retry/],
    ["only white space", [text(" \n"), finish], /response is empty/],
    ["only reasoning", [{ type: "reasoning", text: "hm" }, finish], /reasoned, but returned no text/],
    [
      "only reasoning up to the limit",
      [
        { type: "reasoning", text: "hm" },
        { type: "finish", reason: "length" },
      ],
      /token limit before any text/,
    ],
  ] as const satisfies readonly (readonly [string, readonly CompletionEvent[], RegExp])[]) {
    it(`fails with an explanation if the model sends ${name}`, async () => {
      const { session, completions } = open();
      session.send("Hello");
      const run = await completions.next();
      run.emit(...events);
      run.end();
      await run.settled;
      const message = session.state.messages.at(-1);
      assert.equal(message?.status, "failed");
      assert.match(message.error?.message ?? "", words);
    });
  }
});
