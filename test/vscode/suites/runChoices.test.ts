import assert from "node:assert/strict";
import type * as Module from "../../../src/vscode/suites/runChoices.ts";
import { suiteCells } from "../../support/promptSuite.ts";
import { fakeWindow, installFakeVscode } from "../../support/fakeVscode.ts";

describe("The confirmation of a run of prompt suites", () => {
  let confirmRun: typeof Module.confirmRun;

  before(async () => {
    installFakeVscode();
    ({ confirmRun } = await import("../../../src/vscode/suites/runChoices.ts"));
  });
  beforeEach(() => fakeWindow.settings.set("inferenceGateway.chat.budget", { daily: 2 }));
  afterEach(() => {
    fakeWindow.settings.clear();
    fakeWindow.shown.length = 0;
  });

  it("declines at once when the budget is used up, even if the notification stays open", async () => {
    const unused = (): never => assert.fail("not used");
    const spent = { day: [{ amount: 2, currency: "USD" }], month: [] };
    const context = {
      get profiles() {
        return unused();
      },
      get clients() {
        return unused();
      },
      get models() {
        return unused();
      },
      ledger: async () => ({ spent: async () => spent }),
    };
    const cells = suiteCells("models: [m]\ncases:\n  - { name: one, prompt: Hello }\n");
    assert.equal(await confirmRun(context, cells), false);
    assert.match(fakeWindow.shown.map(({ message }) => message).join(), /budget/);
  });
});
