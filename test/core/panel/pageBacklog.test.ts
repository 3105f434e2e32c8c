import assert from "node:assert/strict";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import { PageBacklog } from "../../../src/core/panel/sessionView.ts";
import { ManualSchedule } from "../../support/manualSchedule.ts";
import { storedMessage } from "../../support/storeFolder.ts";

const path = (messages: readonly Message[]) => ({ messages, versions: {}, comparison: [] });

function createMessages(count: number, text = "Hello"): Message[] {
  return Array.from({ length: count }, (_, number) => storedMessage(`m${number}`, { text }));
}

function createBacklog(messages: readonly Message[]) {
  const frames = new ManualSchedule();
  const portions: (readonly Message[])[] = [];
  const byId = new Map(messages.map((message) => [message.id, message]));
  const backlog = new PageBacklog(
    (id) => byId.get(id),
    (portion) => portions.push(portion),
    frames.schedule,
  );
  return { backlog, frames, portions, byId };
}

describe("PageBacklog", () => {
  it("sends the newest messages immediately and the others in batches, the newest first", () => {
    const messages = createMessages(1_000);
    const { backlog, frames, portions } = createBacklog(messages);
    const first = backlog.divide(path(messages), 0);
    assert.equal(first.messages.at(-1)?.id, "m999");
    assert.ok(first.messages.length < 100);
    assert.equal((first.earlier?.length ?? 0) + first.messages.length, 1_000);
    assert.deepEqual(first.earlier?.[0], { id: "m0", role: messages[0]?.role, length: 5 });
    for (let round = 0; round < 100; round += 1) frames.runAll();
    assert.ok(portions.every(({ length }) => length < 100));
    const sent = [...portions.toReversed().flat(), ...first.messages].map(({ id }) => id);
    assert.deepEqual(
      sent,
      messages.map(({ id }) => id),
    );
  });

  it("sends few large messages at a time, including one that is larger than a batch", () => {
    const messages = createMessages(20, "x".repeat(200_000));
    const { backlog, frames, portions } = createBacklog(messages);
    assert.equal(backlog.divide(path(messages), 0).messages.length, 2);
    for (let round = 0; round < 100; round += 1) frames.runAll();
    assert.deepEqual(
      portions.map(({ length }) => length),
      Array.from({ length: 9 }, () => 2),
    );
  });

  it("sends a streaming message immediately because its deltas follow", () => {
    const messages = createMessages(300);
    messages[100] = { ...storedMessage("m100", { text: "So" }), status: "streaming" };
    const { backlog } = createBacklog(messages);
    assert.equal(backlog.divide(path(messages), 0).messages[0]?.id, "m100");
  });

  it("sends the current state of a message when its turn comes, and skips a removed one", () => {
    const messages = createMessages(200);
    const { backlog, frames, portions, byId } = createBacklog(messages);
    backlog.divide(path(messages), 0);
    byId.set("m3", storedMessage("m3", { text: "Later" }));
    byId.delete("m4");
    for (let round = 0; round < 100; round += 1) frames.runAll();
    const sent = portions.flat();
    assert.equal(sent.find(({ id }) => id === "m3")?.text, "Later");
    assert.equal(
      sent.some(({ id }) => id === "m4"),
      false,
    );
  });

  it("continues with the messages that the page is still missing after the path changes", () => {
    const messages = createMessages(400);
    const { backlog, frames, portions } = createBacklog(messages);
    backlog.divide(path(messages), 0);
    const other = [...messages.slice(0, 300), storedMessage("other", { text: "Else" })];
    assert.deepEqual(
      backlog.divide(path(other), 300).messages.map(({ id }) => id),
      ["other"],
    );
    for (let round = 0; round < 100; round += 1) frames.runAll();
    assert.deepEqual(
      portions
        .flat()
        .map(({ id }) => id)
        .toSorted(),
      messages
        .slice(0, 300)
        .map(({ id }) => id)
        .toSorted(),
    );
  });
});
