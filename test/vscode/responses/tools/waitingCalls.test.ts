import assert from "node:assert/strict";
import { LiveCalls } from "../../../../src/core/responses/tools/liveCalls.ts";
import type { notifyHiddenCalls } from "../../../../src/vscode/responses/tools/waitingCalls.ts";
import { eventually } from "../../../support/eventually.ts";
import { fakeWindow, installFakeVscode } from "../../../support/fakeVscode.ts";

describe("A tool call that waits for the user", () => {
  let notify: typeof notifyHiddenCalls;

  before(async () => {
    installFakeVscode();
    ({ notifyHiddenCalls: notify } = await import("../../../../src/vscode/responses/tools/waitingCalls.ts"));
  });
  beforeEach(() => {
    fakeWindow.shown.length = 0;
    fakeWindow.press = ({ buttons }) => buttons[0];
  });
  after(() => (fakeWindow.press = () => undefined));

  it("on a version that isn't shown is announced although its chat is visible, and leads to that version", async () => {
    const live = new LiveCalls();
    const opened: string[] = [];
    const listener = notify(live, () => ({
      isVisible: (_, messageId) => messageId === "shown",
      open: async (_, messageId) => opened.push(messageId),
      noteWaiting: () => undefined,
    }));
    void live.begin("c", "shown", "1").confirm();
    void live.begin("c", "other", "2").confirm();
    await eventually(async () => assert.deepEqual(opened, ["other"]));
    assert.equal(fakeWindow.shown.length, 1);
    listener.dispose();
  });
});
