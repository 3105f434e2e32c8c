import assert from "node:assert/strict";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { MessageQueue } from "../../../src/core/conversation/messageQueue.ts";
import type { ReadyNotifier } from "../../../src/vscode/panel/readyNotifier.ts";
import { createSession } from "../../core/conversation/createSession.ts";
import { installFakeVscode } from "../../support/fakeVscode.ts";

describe("The mark of a chat", () => {
  let Notifier: typeof ReadyNotifier;

  before(async () => {
    installFakeVscode();
    ({ ReadyNotifier: Notifier } = await import("../../../src/vscode/panel/readyNotifier.ts"));
  });

  it("reports a failure although the user has left another, complete version shown", async () => {
    const { session, completions, store } = createSession();
    const marks: (string | undefined)[] = [];
    const queue = new MessageQueue({
      ...{ session, store, createId: () => "queued", reportError: assert.ifError },
      schedule: () => () => undefined,
    });
    const notifier = new Notifier({
      isVisible: () => false,
      open: async () => undefined,
      showMark: (_, mark) => marks.push(mark),
      showBadge: () => undefined,
    });
    notifier.follow(session, () => queue);
    session.send("q");
    const first = await completions.next();
    first.emit({ type: "text", text: "First" }, { type: "finish", reason: "stop" });
    first.end();
    await first.settled;
    const firstId = session.state.messages.at(-1)?.id ?? "";
    session.regenerate(firstId);
    session.selectVersion(firstId);
    const second = await completions.next();
    second.fail(new ServiceError({ reason: "service", message: "No." }));
    await second.settled;
    assert.deepEqual(marks, ["complete", "failed"]);
    queue.dispose();
  });
});
