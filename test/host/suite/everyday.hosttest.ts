import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Profile } from "../../../src/core/account/profile.ts";
import type { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import type { MessageQueue } from "../../../src/core/conversation/messageQueue.ts";
import type { SessionEvent } from "../../../src/core/conversation/sessionEvent.ts";
import type { ReadyState } from "../../../src/core/panel/readyMarks.ts";
import type { RunningThings } from "../../../src/core/servers/actions/runningThings.ts";
import type { SignedRequestDraft } from "../../../src/core/servers/actions/signedRequest.ts";
import type { Server } from "../../../src/core/servers/server.ts";
import type { ServerRow } from "../../../src/core/servers/tree/rows.ts";
import { ReadyNotifier } from "../../../src/vscode/panel/readyNotifier.ts";
import { ActionStore } from "../../../src/vscode/servers/actions/actionStore.ts";
import { runAction } from "../../../src/vscode/servers/actions/runAction.ts";
import { setUpActions } from "../../../src/vscode/servers/actions/setUpActions.ts";
import type { ServersContext } from "../../../src/vscode/servers/serversHost.ts";
import type { ServersView } from "../../../src/vscode/servers/serversView.ts";
import { activateExtension } from "./support/extensionContext.ts";

function memento(): vscode.Memento {
  const values = new Map<string, unknown>();
  return {
    keys: () => [...values.keys()],
    get: (key: string) => values.get(key),
    update: async (key: string, value: unknown) => void values.set(key, value),
  } as unknown as vscode.Memento;
}

describe("Stopping a server", () => {
  const settings = () => vscode.workspace.getConfiguration("inferenceGateway");
  const restores: (() => void)[] = [];
  const profile = { name: "Lab", gatewayUrl: "https://gpu.example" } as unknown as Profile;
  const record = { id: "srv-7", placement: { zone: "eu" } };
  const fact = (value: string, source = "x") => ({ value, source });
  const stop = {
    ...{ kind: "stop", name: "Stop", method: "POST", path: "/servers/{id}/stop", doneWhen: ["stopped"] },
    ...{ query: { zone: "{placement.zone}" }, body: { server: "{id}" }, billing: "Billing ends." },
  };
  let server: Server;
  let row: ServerRow;
  let sent: SignedRequestDraft[] = [];
  let problem: string | undefined;
  let store: ActionStore;
  let things: RunningThings[] = [];

  function replace(
    name: "showQuickPick" | "showWarningMessage" | "showErrorMessage" | "showOpenDialog",
    answer: (...call: unknown[]) => unknown,
  ): void {
    const before: unknown = vscode.window[name];
    Reflect.set(vscode.window, name, (...call: unknown[]) => Promise.resolve(answer(...call)));
    restores.push(() => Reflect.set(vscode.window, name, before));
  }

  const view = () =>
    ({
      actionStore: store,
      runningThings: things,
      repaint: () => undefined,
      refresh: async () => undefined,
      selection: undefined,
      lists: {
        sections: [{ profileName: "Lab", actions: store.of("Lab"), snapshot: { state: "ready" } }],
        find: () => ({ current: { servers: [server] } }),
      },
      rows: { servers: [row], find: () => row },
      context: {
        profiles: { find: () => profile },
        clients: {
          sendSigned: async (_: Profile, draft: SignedRequestDraft) => {
            sent.push(draft);
            return { ...{ method: "POST", url: "", statusCode: 200, tookMs: 1, text: "" }, problem };
          },
        },
        log: { info: () => undefined, error: (text: string) => assert.fail(text) },
      },
    }) as unknown as ServersView;
  const run = () => runAction(view(), "stop", row);
  const write = async (entry: unknown): Promise<void> => {
    await settings().update(
      "servers.actions",
      { Lab: { actions: [entry] } },
      vscode.ConfigurationTarget.Global,
    );
    store.settingChanged();
  };

  before(() => activateExtension());

  beforeEach(async () => {
    sent = [];
    problem = undefined;
    things = [];
    server = { key: "7", status: "running", id: fact("srv-7", "id"), name: fact("alpha"), record };
    row = { ...{ kind: "server", id: "row", key: "7", profileName: "Lab" }, server } as unknown as ServerRow;
    const profiles = { find: () => profile };
    store = new ActionStore({ profiles, globalState: memento() } as unknown as ServersContext);
    await write(stop);
    await store.accept("Lab", store.cloudOf("Lab").actions);
  });

  afterEach(() => {
    for (const restore of restores.splice(0)) restore();
    store.dispose();
  });

  after(() => settings().update("servers.actions", undefined, vscode.ConfigurationTarget.Global));

  it("names what runs there and what it means, and sends one request", async () => {
    things = [
      async () => ({ checkedAt: Date.now(), things: ["job train.py, 3 h", "3 processes of alice"] }),
      async () => Promise.reject(new Error("broken")),
    ];
    const asked: string[] = [];
    replace("showWarningMessage", (question, options, button) => {
      asked.push(String(question), (options as vscode.MessageOptions).detail ?? "");
      return button;
    });
    await run();
    assert.deepEqual(sent, [
      {
        ...{ isOnce: true, method: "POST", path: "/servers/srv-7/stop" },
        ...{ parameters: [["zone", "eu"]], body: '{"server":"srv-7"}' },
      },
    ]);
    assert.equal(asked[0], "Stop alpha?");
    for (const text of [
      "Billing: Billing ends.",
      "Data: not described by this action",
      "job train.py, 3 h · 3 processes of alice",
      "couldn't be checked: The server couldn't be reached.",
      "POST https://gpu.example/servers/srv-7/stop?zone=eu",
    ])
      assert.ok(asked[1]?.includes(text), `${text}: ${asked[1]}`);
    assert.equal(store.of("Lab").changes.get("7")?.kind, "stop");
  });

  it("sends nothing if it is canceled, or if the server has changed while the dialog was open", async () => {
    replace("showWarningMessage", () => undefined);
    await run();
    for (const restore of restores.splice(0)) restore();
    const before = row;
    replace("showWarningMessage", (...[, , button]) => {
      server = { ...server, status: "stopped" };
      row = { ...row, server };
      return button;
    });
    await runAction(view(), "stop", before);
    assert.deepEqual(sent, []);
    assert.equal(store.of("Lab").changes.size, 0);
  });

  it("expects nothing if the gateway reports a failure with status 200", async () => {
    problem = "The server is busy.";
    const errors: unknown[] = [];
    replace("showWarningMessage", (...[, , button]) => button);
    replace("showErrorMessage", (sentence) => void errors.push(sentence));
    await run();
    assert.equal(sent.length, 1);
    assert.match(String(errors[0]), /“Stop” failed for alpha: The server is busy\./);
    assert.equal(store.of("Lab").changes.size, 0);
  });

  it("is offered only as it was reviewed, and for the gateway that it was reviewed for", async () => {
    const count = () => store.of("Lab").actions.length;
    assert.equal(count(), 1);
    await write({ ...stop, path: "/servers/{id}/delete" });
    assert.equal(count(), 0);
    await write(stop);
    assert.equal(count(), 1);
    const { gatewayUrl } = profile;
    Object.assign(profile, { gatewayUrl: "https://other.example" });
    assert.equal(count(), 0);
    Object.assign(profile, { gatewayUrl });
  });

  it("is imported from a file only with what was selected, and as it is there", async () => {
    await settings().update("servers.actions", undefined, vscode.ConfigurationTarget.Global);
    store.settingChanged();
    const file = vscode.Uri.file(join(mkdtempSync(join(tmpdir(), "actions-")), "actions.json"));
    const start = { kind: "start", name: "Start", method: "POST", path: "/servers/{id}/start" };
    const hostile = { ...start, name: "Free GPU\u202e", path: "https://evil.example/{id}" };
    writeFileSync(
      file.fsPath,
      JSON.stringify({ console: "https://c.example/{id}", actions: [start, stop, hostile] }),
    );
    const warnings: unknown[] = [];
    const lines: string[] = [];
    replace("showWarningMessage", (sentence) => void warnings.push(sentence));
    replace("showOpenDialog", () => [file]);
    replace("showQuickPick", (items, options) => {
      const offered = items as readonly vscode.QuickPickItem[];
      if ((options as vscode.QuickPickOptions).canPickMany !== true) return offered[0];
      lines.push(...offered.map(({ label, description }) => `${label} ${description ?? ""}`));
      return offered.filter(({ label }) => label === "Stop" || label === "Open in Console");
    });
    await setUpActions(view(), row);
    assert.deepEqual(lines, [
      "Start POST https://gpu.example/servers/{id}/start",
      "Stop POST https://gpu.example/servers/{id}/stop?zone={placement.zone}",
      "Open in Console https://c.example/{id}",
    ]);
    assert.match(String(warnings[0]), /“Free GPU” can't be used/);
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? "", /"billing": "Billing ends\."/);
    assert.deepEqual(settings().inspect("servers.actions")?.globalValue, {
      Lab: { console: "https://c.example/{id}", actions: [stop] },
    });
    assert.deepEqual(
      [store.of("Lab").actions.map(({ name }) => name), store.consoleOf("Lab")],
      [["Stop"], "https://c.example/{id}"],
    );
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });
});

describe("The mark of a hidden chat", () => {
  const marks = new Map<string, ReadyState | undefined>();
  let badge: vscode.ViewBadge | undefined;
  let isVisible = false;
  let notifier: ReadyNotifier;

  beforeEach(async () => {
    await activateExtension();
    marks.clear();
    badge = undefined;
    isVisible = false;
    notifier = new ReadyNotifier({
      isVisible: () => isVisible,
      open: async () => undefined,
      showMark: (id, mark) => marks.set(id, mark),
      showBadge: (shown) => (badge = shown),
    });
  });

  /** A conversation whose response ends with this status. */
  function endResponse(id: string, status: "complete" | "failed" | "stopped"): void {
    const state = { isStreaming: false, comparison: [], messages: [{ status }], title: id };
    const listeners: ((event: SessionEvent) => void)[] = [];
    const session = {
      id,
      state,
      subscribe: (listener: (event: SessionEvent) => void) => listeners.push(listener),
    };
    notifier.follow(session as unknown as ChatSession, () => ({ isSending: false }) as MessageQueue);
    for (const isStreaming of [true, false]) {
      state.isStreaming = isStreaming;
      for (const listener of listeners) listener({ type: "streaming" } as SessionEvent);
    }
  }

  it("shows whether its response is complete, has failed, or waits for approval, until the chat is seen", () => {
    endResponse("done", "complete");
    endResponse("broken", "failed");
    endResponse("stopped", "stopped");
    notifier.noteWaiting("asking", true);
    assert.deepEqual(
      [...marks],
      [
        ["done", "complete"],
        ["broken", "failed"],
        ["asking", "waiting"],
      ],
    );
    assert.deepEqual(badge, {
      value: 3,
      tooltip:
        "Conversations with a new response: 1\nConversations with a failed response: 1\nConversations with a tool waiting for approval: 1",
    });
    for (const id of ["done", "broken", "asking"]) notifier.noteSeen(id);
    assert.deepEqual([[...marks.values()], badge], [[undefined, undefined, undefined], undefined]);
  });

  it("disappears when the call was approved elsewhere, unlike the mark of a response that has ended since then", async () => {
    notifier.noteWaiting("asking", true);
    notifier.noteWaiting("asking", false);
    assert.equal(marks.get("asking"), undefined);
    notifier.noteWaiting("asking", true);
    endResponse("asking", "failed");
    notifier.noteWaiting("asking", false);
    assert.equal(marks.get("asking"), "failed");
  });

  it("isn't shown for a chat that the user sees", () => {
    isVisible = true;
    notifier.noteWaiting("seen", true);
    endResponse("seen", "failed");
    assert.deepEqual([marks.get("seen"), badge], [undefined, undefined]);
  });
});
