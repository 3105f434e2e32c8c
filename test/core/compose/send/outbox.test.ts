import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { Outbox } from "../../../../src/core/compose/send/outbox.ts";
import { SendGate } from "../../../../src/core/compose/send/sendGate.ts";
import { resultQuestion } from "../../../../src/core/compose/send/sendQuestion.ts";
import type { SendState } from "../../../../src/core/compose/send/sendQuestion.ts";
import { ChatSession } from "../../../../src/core/conversation/chatSession.ts";
import type { ContentPart, Modality } from "../../../../src/core/conversation/completion.ts";
import type { Message } from "../../../../src/core/conversation/conversation.ts";
import { MessageQueue } from "../../../../src/core/conversation/messageQueue.ts";
import { newQuestion } from "../../../../src/core/conversation/forkConversation.ts";
import type { Draft } from "../../../../src/core/conversation/conversationStore.ts";
import { temporaryStore } from "../../../support/storeFolder.ts";
import { ScriptedCompletions } from "../../../support/scriptedCompletions.ts";

const key = "sk-1234567890abcdef";
const image: ContentPart = { type: "image", mediaType: "image/png", data: "" };
const blind = { id: "lab/blind", supportsImages: false };
const omni = { id: "lab/omni", supportsImages: true };

function createOutbox(selected = omni.id, messages: readonly Message[] = []) {
  const completions = new ScriptedCompletions();
  let ids = 0;
  const store = temporaryStore();
  const session = new ChatSession(
    { id: "c1", title: "New Chat", createdAt: 1, updatedAt: 1, messages },
    {
      completions,
      store,
      now: () => 1000,
      createId: () => `m${++ids}`,
      defaultModel: async () => selected,
      reportError: (error) => assert.fail(String(error)),
    },
  );
  const posted: SendState[] = [];
  const drafts: { readonly kept: Draft[]; readonly stored: Draft[] } = { kept: [], stored: [] };
  const pickers: (readonly Modality[])[] = [];
  const dialogs: { isConfirmed: boolean; asked: number } = { isConfirmed: true, asked: 0 };
  const reported: unknown[] = [];
  const checks: Promise<void>[] = [];
  const queue = new MessageQueue({
    session,
    store,
    createId: () => `queued${++ids}`,
    schedule: () => () => undefined,
    reportError: (error) => assert.fail(String(error)),
  });
  const outbox = new Outbox({
    session,
    queue,
    gate: new SendGate({
      secretGuard: () => "ask",
      prepare: () => undefined,
      findSecrets: async (text) => {
        await checks.shift();
        return text.includes(key) ? [{ kind: "token", value: key }] : [];
      },
      readBudget: async () => undefined,
      whenTooLong: () => "ask",
      locale: "en",
    }),
    draft: {
      keep: (draft) => void drafts.kept.push(draft),
      hold: (_, stored) => void drafts.stored.push(stored),
    },
    post: (state) => posted.push(state),
    confirm: async () => {
      dialogs.asked++;
      return dialogs.isConfirmed;
    },
    findTooLong: () => undefined,
    offered: () => ({ selected, models: [blind, omni] }),
    selectModel: async (modalities) => void pickers.push(modalities),
    reportError: (error) => reported.push(error),
  });
  const close = () => {
    outbox.dispose();
    return outbox.whenPassed.then(() => session.dispose());
  };
  const send = async (text: string, attachments: readonly ContentPart[] = []) => {
    outbox.send({ text, attachments });
    await settled();
  };
  const choose = async (choice: "mask" | "send" | "cancel" | "selectModel") => {
    const { questionId } = outbox.held ?? assert.fail("Nothing is held.");
    outbox.answer(questionId, choice);
    await settled();
  };
  return {
    outbox,
    session,
    completions,
    posted,
    drafts,
    pickers,
    dialogs,
    reported,
    checks,
    send,
    choose,
    close,
  };
}

/** Makes the next check wait until the function is called. */
function addCheck(checks: Promise<void>[]): () => void {
  let pass: () => void = () => undefined;
  checks.push(new Promise((resolve) => (pass = resolve)));
  return () => pass();
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
}

describe("The outbox of a panel", () => {
  it("sends a message that raises no question, without notifying the page", async () => {
    const { send, session, posted } = createOutbox();
    await send("Hello");
    assert.equal(session.state.messages[0]?.text, "Hello");
    assert.deepEqual(posted, []);
  });

  it("holds a message with a secret, keeps it off the disk, and sends what the user decides", async () => {
    const { outbox, send, choose, session, posted, drafts } = createOutbox();
    await send(`Use ${key}`);
    assert.equal(session.state.messages.length, 0);
    assert.equal(outbox.held?.question.kind, "secrets");
    assert.deepEqual(posted, [{ type: "sendState", held: outbox.held }]);
    assert.ok(!JSON.stringify([drafts, posted]).includes(key));
    await choose("mask");
    assert.equal(session.state.messages[0]?.text, "Use [masked: token]");
    assert.equal(outbox.held, undefined);
    assert.deepEqual(posted.at(-1), { type: "sendState", composer: "clear" });
  });

  it("queues a message whose question is answered when another response has been requested", async () => {
    const { outbox, send, choose, session, completions, posted, drafts } = createOutbox();
    await send("Hello");
    const run = await completions.next();
    run.emit({ type: "text", text: "Hi" }, { type: "finish", reason: "stop" });
    run.end();
    await run.settled;
    await send(`Use ${key}`);
    session.regenerate(session.state.messages[1]?.id ?? "");
    await choose("mask");
    assert.deepEqual(
      outbox.queue?.messages.map(({ text }) => text),
      ["Use [masked: token]"],
    );
    assert.equal(posted.at(-1)?.composer, "clear");
    assert.deepEqual(drafts.kept.at(-1), { text: "", attachments: [] });
  });

  it("sends a message whose chat is closed while it is being checked, before its conversation ends", async () => {
    const { outbox, session, checks, close } = createOutbox();
    const pass = addCheck(checks);
    outbox.send({ text: "Hello", attachments: [] });
    const closed = close();
    await settled();
    pass();
    await closed;
    assert.deepEqual(
      session.state.messages.map(({ text }) => text),
      ["Hello", ""],
    );
  });

  it("sends both of two messages whose chat is closed while they are being checked", async () => {
    const { outbox, session, checks, close } = createOutbox();
    const [passFirst, passSecond] = [addCheck(checks), addCheck(checks)];
    outbox.send({ text: "First", attachments: [] });
    outbox.send({ text: "Second", attachments: [] });
    const closed = close();
    passSecond();
    await settled();
    passFirst();
    await closed;
    assert.equal(session.state.messages[0]?.text, "Second");
    assert.deepEqual(
      outbox.queue?.messages.map(({ text }) => text),
      ["First"],
    );
  });

  it("keeps a message as the draft, without its secret, if its chat was closed when the check finds one", async () => {
    const { outbox, session, checks, drafts, close } = createOutbox();
    const pass = addCheck(checks);
    outbox.send({ text: `Use ${key}`, attachments: [] });
    const closed = close();
    pass();
    await closed;
    assert.deepEqual(drafts.stored, [{ text: "Use [masked: token]", attachments: [] }]);
    assert.deepEqual(drafts.kept, []);
    assert.deepEqual(session.state.messages, []);
    assert.equal(outbox.held, undefined);
  });

  it("keeps a message as the draft if it can't be checked, although the page may not have reported all of it", async () => {
    const { outbox, checks, drafts, reported, posted, close } = createOutbox();
    checks.push(Promise.reject(new Error("The vault is locked.")));
    outbox.send({ text: "Hello", attachments: [image] });
    await close();
    assert.deepEqual(drafts.kept, [{ text: "Hello", attachments: [image] }]);
    assert.equal(posted.at(-1)?.composer, "restore");
    assert.equal(reported.length, 1);
  });

  it("sends nothing from a conversation that was deleted while the message was checked", async () => {
    const { outbox, session } = createOutbox();
    outbox.send({ text: "Hello", attachments: [] });
    session.dispose();
    await settled();
    assert.deepEqual(session.state.messages, []);
  });

  it("sends a secret unmasked only after a dialog outside the page", async () => {
    const { outbox, send, choose, session, dialogs } = createOutbox();
    dialogs.isConfirmed = false;
    await send(`Use ${key}`);
    await choose("send");
    assert.deepEqual([dialogs.asked, session.state.messages.length], [1, 0]);
    assert.ok(outbox.held, "the question stays");
    dialogs.isConfirmed = true;
    await choose("send");
    assert.equal(session.state.messages[0]?.text, `Use ${key}`);
  });

  it("holds an image that the model doesn't support, and lets the user select another model", async () => {
    const { outbox, send, choose, session, posted, pickers } = createOutbox(blind.id);
    await send("Look", [image]);
    assert.equal(outbox.held?.question.message, "lab/blind doesn't support image input.");
    await choose("selectModel");
    assert.deepEqual(pickers, [["image"]]);
    assert.equal(session.state.messages.length, 0, "the user sends it to the model that was selected");
    assert.deepEqual(posted.at(-1), { type: "sendState" });
    await send("Look", [image]);
    await choose("send");
    assert.equal(session.state.messages[0]?.attachments.length, 1);
  });

  it("doesn't ask about images of earlier messages or tools, in place of which a model that can't read them gets a note", async () => {
    const message = newQuestion({ id: "e1", createdAt: 1 }, "Look", [image]);
    for (const role of ["user", "tool"] as const) {
      const { send, outbox } = createOutbox(blind.id, [{ ...message, role }]);
      await send("And now?");
      assert.equal(outbox.held, undefined);
    }
  });

  it("checks an edited message only against the messages before it", async () => {
    const { outbox, send, choose, session, completions } = createOutbox(blind.id);
    await send("Look", [image]);
    await choose("send");
    const run = await completions.next();
    run.emit({ type: "text", text: "I can't." }, { type: "finish", reason: "stop" });
    run.end();
    await run.settled;
    const [question] = session.state.messages;
    outbox.edit(question?.id ?? "", { text: "Read", attachments: [] });
    await settled();
    assert.equal(outbox.held, undefined);
    assert.equal(session.state.messages[0]?.text, "Read");
  });

  it("withdraws a question about the model when the user selects another one, and keeps a question about secrets", async () => {
    const { outbox, send, session, posted } = createOutbox(blind.id);
    const kind = () => outbox.held?.question.kind;
    await send("Look", [image]);
    assert.equal(kind(), "modality");
    session.selectModel(omni.id);
    await settled();
    assert.equal(kind(), undefined);
    assert.deepEqual(posted.at(-1), { type: "sendState" });
    assert.deepEqual(session.state.messages, []);
    await send(key);
    assert.equal(kind(), "secrets");
    session.selectModel(blind.id);
    await settled();
    assert.equal(kind(), "secrets");
  });

  it("returns an edited message to its editor if the user doesn't send it", async () => {
    const { outbox, send, choose, session, completions, posted } = createOutbox();
    await send("One");
    (await completions.next()).end();
    await settled();
    const [question] = session.state.messages;
    outbox.edit(question?.id ?? "", { text: key, attachments: [] });
    await settled();
    await choose("cancel");
    const restored = { text: key, attachments: [] };
    assert.deepEqual(posted.at(-1), { type: "sendState", composer: "restore", restored });
    assert.equal(session.state.messages[0]?.text, "One");
  });

  it("leaves nothing waiting forever when one question replaces another", async () => {
    const { outbox, send, session } = createOutbox();
    await send("Hello");
    assert.ok(session.state.isStreaming);
    const choice = outbox.askWhileStreaming(resultQuestion([{ kind: "token", value: key }], "read"));
    await settled();
    outbox.send({ text: key, attachments: [], stopFirst: true });
    assert.equal(await choice, "cancel");
    await settled();
    assert.equal(outbox.held?.question.kind, "secrets", "the newer question stays");
  });

  it("keeps the question about a tool result open, and returns an edited message, when one is sent during a response", async () => {
    const { outbox, send, posted } = createOutbox();
    await send("Hello");
    const choice = outbox.askWhileStreaming(resultQuestion([{ kind: "token", value: key }], "read"));
    await settled();
    outbox.edit("m1", { text: "Hello!", attachments: [] });
    await settled();
    assert.equal(posted.at(-1)?.composer, "restore");
    outbox.answer(outbox.held?.questionId ?? -1, "mask");
    assert.equal(await choice, "mask");
  });

  it("withholds a tool result when the user stops, and asks about several results one at a time", async () => {
    const { outbox, send, session } = createOutbox();
    await send("Hello");
    const ask = () => outbox.askWhileStreaming(resultQuestion([{ kind: "token", value: key }], "read"));
    const choices = [ask(), ask()];
    await settled();
    const first = outbox.held?.questionId ?? -1;
    outbox.answer(first, "mask");
    assert.equal(await choices[0], "mask");
    await settled();
    assert.equal(outbox.held?.questionId, first + 1);
    session.stop();
    assert.equal(await choices[1], "cancel");
    await settled();
    assert.equal(outbox.held, undefined);
  });

  it("withholds every tool result about which the user hasn't decided when the chat is closed", async () => {
    const { outbox, send } = createOutbox();
    await send("Hello");
    const ask = () => outbox.askWhileStreaming(resultQuestion([{ kind: "token", value: key }], "read"));
    const choices = [ask(), ask()];
    await settled();
    outbox.dispose();
    assert.deepEqual(await Promise.all(choices), ["cancel", "cancel"]);
  });
});
