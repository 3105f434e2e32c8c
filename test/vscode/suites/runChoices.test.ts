import assert from "node:assert/strict";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import type * as Module from "../../../src/vscode/suites/runChoices.ts";
import { suiteCells } from "../../support/promptSuite.ts";
import { fakeWindow, installFakeVscode } from "../../support/fakeVscode.ts";

describe("The models of “Run With…”", () => {
  it("have no icons in the list, and are run by the names that the service gives them", async () => {
    installFakeVscode();
    const { chooseTarget } = await import("../../../src/vscode/suites/runChoices.ts");
    const ids = ["$(check) model", "org/small"];
    const { profiles } = parseProfiles([{ name: "Lab", inferenceBaseUrl: "https://lab.example/v1" }]);
    const shown: string[] = [];
    fakeWindow.pick = (items) => {
      shown.push(...items.map(({ label }) => label));
      return items;
    };
    const target = await chooseTarget({
      profiles: { all: profiles, active: profiles[0] },
      clients: { inference: async () => ({ listModels: async () => ids.map((id) => ({ id })) }) },
      models: { read: () => undefined, typed: () => [] },
    });
    fakeWindow.pick = () => undefined;
    assert.deepEqual(shown, [String.raw`\$(check) model`, "org/small"]);
    assert.deepEqual(target, { profile: profiles[0], models: ids });
  });
});

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
