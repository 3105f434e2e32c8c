import assert from "node:assert/strict";
import type { ToWebview } from "../../../src/core/panel/protocol.ts";
import { SessionView } from "../../../src/core/panel/sessionView.ts";
import { createSession } from "./createSession.ts";

describe("A message without a response", () => {
  it("is omitted from later requests and marked as such until the user includes it", async () => {
    const { session, completions, store } = createSession();
    const posted: ToWebview[] = [];
    const view = new SessionView(
      session,
      (message) => posted.push(message),
      () => () => undefined,
    );
    const unsent = () => posted.flatMap((message) => (message.type === "unsent" ? [message.ids] : []));

    session.send("first");
    const first = await completions.next();
    assert.deepEqual(unsent(), []);
    session.stop();
    await first.settled;
    assert.deepEqual(unsent(), [["m1"]]);
    assert.deepEqual(view.snapshot().unsent, ["m1"]);

    session.send("second");
    const second = await completions.next();
    assert.deepEqual(second.request.messages, [{ role: "user", content: "second" }]);
    second.emit({ type: "text", text: "2" }, { type: "finish", reason: "stop" });
    second.end();
    await second.settled;

    session.includeMessage("m1");
    assert.deepEqual(unsent().at(-1), []);
    assert.equal(store.load("c1")?.messages[0]?.isIncluded, true);
    session.send("third");
    const third = await completions.next();
    assert.deepEqual(
      third.request.messages.map(({ content }) => content),
      ["first", "second", "2", "third"],
    );
    session.stop();
    await third.settled;
  });
});
