import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Profile } from "../../../src/core/account/profile.ts";
import type { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import type { MessageQueue } from "../../../src/core/conversation/messageQueue.ts";
import type { SessionEvent } from "../../../src/core/conversation/sessionEvent.ts";
import type { ReadyState } from "../../../src/core/panel/readyMarks.ts";
import type { SignedRequestDraft } from "../../../src/core/servers/signedRequest/signedRequest.ts";
import type { ServerRow } from "../../../src/core/servers/tree/rows.ts";
import { ReadyNotifier } from "../../../src/vscode/panel/readyNotifier.ts";
import { SignedRequests } from "../../../src/vscode/servers/signedRequest/signedRequests.ts";
import type { SignedRequestContext } from "../../../src/vscode/servers/signedRequest/signedRequests.ts";
import { activateExtension } from "./support/extensionContext.ts";

function memento(): vscode.Memento {
  const values = new Map<string, unknown>();
  return {
    keys: () => [...values.keys()],
    get: (key: string) => values.get(key),
    update: async (key: string, value: unknown) => void values.set(key, value),
  } as unknown as vscode.Memento;
}

describe("A saved request on the row of a server", () => {
  const settings = () => vscode.workspace.getConfiguration("inferenceGateway");
  const restores: (() => void)[] = [];
  const profile = { name: "Lab", gatewayUrl: "https://gpu.example" } as unknown as Profile;
  const row = {
    ...{ kind: "server", id: "row", key: "7", profileName: "Lab", mark: undefined, staleSince: undefined },
    server: { name: { value: "alpha" }, record: { id: "a/7", placement: { zone: "eu" } } },
  } as unknown as ServerRow;
  let sent: SignedRequestDraft[] = [];
  let requests: SignedRequests;

  function replace(
    name: "showQuickPick" | "showWarningMessage",
    answer: (...call: unknown[]) => unknown,
  ): void {
    const before: unknown = vscode.window[name];
    Reflect.set(vscode.window, name, (...call: unknown[]) => Promise.resolve(answer(...call)));
    restores.push(() => Reflect.set(vscode.window, name, before));
  }

  before(async () => {
    await activateExtension();
    const saved = {
      ...{
        name: "Restart",
        method: "POST",
        path: "/gpu/api/v1/servers/{id}/restart",
        query: "zone={placement.zone}",
      },
      ...{ body: { server: "{id}" }, confirmation: "Running jobs are stopped." },
    };
    await settings().update(
      "requests.saved",
      [saved, { name: "Other", method: "GET", path: "/gpu/api/v1/{owner}" }],
      vscode.ConfigurationTarget.Global,
    );
    requests = new SignedRequests({
      profiles: { all: [profile], find: (name: string) => (name === "Lab" ? profile : undefined) },
      clients: {
        sendSigned: async (_: Profile, draft: SignedRequestDraft) => {
          sent.push(draft);
          const url = "https://gpu.example/";
          return { method: "POST", url, statusCode: 202, tookMs: 1, text: '{"state":"restarting"}' };
        },
      },
      redaction: { redact: (text: string) => text },
      log: { info: () => undefined, error: (text: string) => assert.fail(text) },
      globalState: memento(),
    } as unknown as SignedRequestContext);
  });

  beforeEach(() => {
    sent = [];
  });

  afterEach(async () => {
    for (const restore of restores.splice(0)) restore();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  after(async () => {
    requests.dispose();
    await settings().update("requests.saved", undefined, vscode.ConfigurationTarget.Global);
  });

  const choose = (name: string): void =>
    replace("showQuickPick", (items) =>
      (items as readonly vscode.QuickPickItem[]).find(({ label }) => label === name),
    );

  it("is sent with the fields of the record, after its own text was confirmed", async () => {
    choose("Restart");
    const asked: string[] = [];
    replace("showWarningMessage", (question, options) => {
      asked.push(String(question), (options as vscode.MessageOptions).detail ?? "");
      return "Send";
    });
    await requests.runSaved(row);
    assert.deepEqual(sent, [
      {
        ...{ method: "POST", path: "/gpu/api/v1/servers/a%2F7/restart" },
        ...{ parameters: [["zone", "eu"]], body: '{"server":"a/7"}' },
      },
    ]);
    assert.match(asked[0] ?? "", /^“Restart”: send this POST request to “Lab”\?$/);
    assert.match(
      asked[1] ?? "",
      /^Running jobs are stopped\.\n\nhttps:\/\/gpu\.example\/gpu\/api\/v1\/servers\/a%2F7/,
    );
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? "", /restarting/);
  });

  it("isn't sent if it is declined, or if the record lacks a field", async () => {
    choose("Restart");
    replace("showWarningMessage", () => undefined);
    await requests.runSaved(row);
    for (const restore of restores.splice(0)) restore();
    choose("Other");
    const warnings: unknown[] = [];
    replace("showWarningMessage", (sentence) => void warnings.push(sentence));
    await requests.runSaved(row);
    assert.deepEqual(sent, []);
    assert.match(String(warnings[0]), /“Other” can't be sent: the record of this server has no single value/);
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
      globalState: memento(),
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
    await notifier.toggleMuted("asking");
    assert.equal(badge, undefined, "a muted conversation doesn't count");
  });

  it("isn't shown for a chat that the user sees", () => {
    isVisible = true;
    notifier.noteWaiting("seen", true);
    endResponse("seen", "failed");
    assert.deepEqual([marks.get("seen"), badge], [undefined, undefined]);
  });
});
