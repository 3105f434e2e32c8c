import assert from "node:assert/strict";
import * as vscode from "vscode";
import {
  inertItem,
  setStatusBarMessage,
  showErrorMessage,
  showInformationMessage,
  showInputBox,
  showQuickPick,
  showWarningMessage,
  withLateProgress,
  withProgress,
} from "../../../src/vscode/shell/window.ts";

const hostile = "[Open](command:workbench.action.quit) $(trash)\u202e\u200b";
const inert = "[Open] (command:workbench.action.quit) $ (trash)";

type Call = readonly unknown[];

describe("Messages, progress and prompts with untrusted text", () => {
  const restores: (() => void)[] = [];
  afterEach(() => {
    for (const restore of restores.splice(0)) restore();
  });

  /** Replaces a function of VS Code's window, and returns the arguments of its calls. */
  function replace(name: keyof typeof vscode.window, answer: (...call: unknown[]) => unknown): Call[] {
    const calls: Call[] = [];
    const before = vscode.window[name];
    const put = (value: unknown): boolean => Reflect.set(vscode.window, name, value);
    put((...call: unknown[]) => {
      calls.push(call);
      return Promise.resolve(answer(...call));
    });
    restores.push(() => put(before));
    return calls;
  }

  it("show no link or icon, and still return the selected button", async () => {
    for (const [name, show] of [
      ["showInformationMessage", showInformationMessage],
      ["showWarningMessage", showWarningMessage],
      ["showErrorMessage", showErrorMessage],
    ] as const) {
      const calls = replace(name, (...call) => call.at(-1));
      assert.equal(await show(hostile, "Cancel", hostile), hostile);
      assert.equal(await show(hostile, { modal: true, detail: "a[0](b) $(c)\u202e" }, hostile), hostile);
      assert.deepEqual(calls, [
        [inert, {}, "Cancel", inert],
        // Whatever a dialog asks the user to confirm is shown unchanged.
        [inert, { modal: true, detail: String.raw`a[0](b) $(c)\u202e` }, inert],
      ]);
    }
  });

  it("keep prompts, validation messages, titles and rows as plain text", async () => {
    const inputs = replace("showInputBox", () => "typed");
    const options = { prompt: hostile, title: hostile, validateInput: () => hostile };
    assert.equal(await showInputBox(options), "typed");
    const [[shown]] = inputs as [[vscode.InputBoxOptions]];
    assert.equal(shown.prompt, inert);
    assert.equal(shown.title, inert);
    assert.equal(await shown.validateInput?.("x"), inert);
    const item = { label: `$(add) ${hostile}`, description: hostile, detail: hostile, id: 7 };
    replace("showQuickPick", (items) => (Array.isArray(items) ? items[0] : undefined));
    assert.equal(await showQuickPick([item], {}), item);
    const escaped = String.raw`[Open](command:workbench.action.quit) \$(trash)`;
    assert.deepEqual(inertItem(item), {
      label: `$(add) ${escaped}`,
      ...{ description: escaped, detail: escaped, id: 7 },
    });
  });

  it("show progress and status without links", async () => {
    const reported: unknown[] = [];
    const progress = replace("withProgress", (_options, task) =>
      (task as (progress: object) => unknown)({ report: (step: unknown) => reported.push(step) }),
    );
    const location = vscode.ProgressLocation.Window;
    assert.equal(
      await withProgress({ location, title: hostile }, async (bar) => {
        bar.report({ message: hostile, increment: 5 });
        return "done";
      }),
      "done",
    );
    assert.deepEqual(progress[0]?.[0], { location, title: inert });
    assert.deepEqual(reported, [{ message: inert, increment: 5 }]);
    const states = replace("setStatusBarMessage", () => undefined);
    setStatusBarMessage(`$(check) ${hostile}`, 1);
    assert.deepEqual(states, [[`$(check) ${inert}`, 1]]);
  });

  it("show work only if it takes longer than a moment, with what it has reported, and cancel it", async () => {
    const reported: unknown[] = [];
    const cancellation = new vscode.CancellationTokenSource();
    const progress = replace("withProgress", (_options, task) =>
      (task as (bar: object, token: vscode.CancellationToken) => unknown)(
        { report: (step: unknown) => reported.push(step) },
        cancellation.token,
      ),
    );
    assert.equal(await withLateProgress("Short", async () => 1, 60_000), 1);
    assert.equal(progress.length, 0);
    const work = withLateProgress(
      "Long",
      async ({ signal, report }) => {
        report("10 messages");
        while (!signal.aborted) await new Promise((resolve) => setImmediate(resolve));
        return "canceled";
      },
      0,
    );
    while (reported.length === 0) await new Promise((resolve) => setImmediate(resolve));
    cancellation.cancel();
    assert.equal(await work, "canceled");
    assert.deepEqual(reported, [{ message: "10 messages" }]);
    const location = vscode.ProgressLocation.Notification;
    assert.deepEqual(progress[0]?.[0], { location, title: "Long", cancellable: true });
    await assert.rejects(
      withLateProgress("Failing", () => Promise.reject(new Error("no")), 60_000),
      /no/,
    );
  });
});
