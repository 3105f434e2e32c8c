import assert from "node:assert/strict";
import * as vscode from "vscode";
import { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import type { CompletionPort } from "../../../src/core/conversation/completion.ts";
import { ExchangeLog } from "../../../src/core/responses/exchange/exchangeLog.ts";
import { ExchangeTable } from "../../../src/storage/records/exchangeTable.ts";
import { temporaryStore } from "../../support/storeFolder.ts";
import { Inspector } from "../../../src/vscode/responses/inspector/inspector.ts";
import { RecordsFolder } from "../../support/recordsFolder.ts";

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Responds at once, and sends the observer what a real connection would. */
const completions: CompletionPort = {
  complete(request, { exchange }) {
    exchange?.onRequest({
      method: "POST",
      url: "https://inference.example/v1/chat/completions",
      headers: { authorization: "Bearer [redacted]", "content-type": "application/json" },
      body: JSON.stringify({ model: request.model, messages: request.messages, stream: true }),
    });
    exchange?.onHead({ statusCode: 200, headers: {}, requestId: "r-1" });
    async function* events() {
      yield { type: "text", text: "Hi" } as const;
      yield { type: "finish", reason: "stop" } as const;
      exchange?.onEnd("complete");
    }
    return { events: events(), stop: () => undefined };
  },
};

function createSession(exchanges: ExchangeLog): ChatSession {
  const conversation = { id: "c", title: "", createdAt: 0, updatedAt: 0, messages: [], model: "lab/model" };
  let ids = 0;
  return new ChatSession(conversation, {
    completions: {
      complete(request, { messageId = "", ...observer }) {
        const owner = { id: messageId, conversationId: conversation.id, messageId };
        return completions.complete(request, {
          ...{ ...observer, messageId, exchange: exchanges.record(owner, request.model) },
        });
      },
    },
    store: temporaryStore(),
    now: () => Date.now(),
    createId: () => `m-${++ids}`,
    defaultModel: async () => "lab/model",
    reportError: (error) => assert.fail(String(error)),
  });
}

async function ask(session: ChatSession): Promise<void> {
  const answered = new Promise<void>((resolve) => {
    session.subscribe((event) => {
      if (event.type === "streaming" && !event.isStreaming) resolve();
    });
  });
  session.send("What's $HOME?");
  await answered;
}

describe("The request inspector in VS Code", () => {
  let folder: RecordsFolder;
  let inspector: Inspector;
  let session: ChatSession;

  beforeEach(async () => {
    folder = new RecordsFolder();
    const exchanges = new ExchangeLog({
      store: new ExchangeTable(folder.open()),
      now: () => Date.now(),
      monotonic: () => performance.now(),
      reportError: (error) => assert.fail(String(error)),
    });
    inspector = new Inspector(folder.open(), () => Promise.resolve({ exchanges }), silent);
    session = createSession(exchanges);
    await ask(session);
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    inspector.dispose();
    folder.remove();
  });

  /** Copies in the first of the offered languages. */
  async function copyFirst(from: ChatSession | undefined): Promise<void> {
    await vscode.env.clipboard.writeText("");
    const copied = inspector.copy(from);
    while ((await vscode.env.clipboard.readText()) === "") {
      await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await copied;
  }

  it("shows the request as read-only JSON with comments", async () => {
    await inspector.show(session);
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor !== undefined);
    assert.equal(editor.document.languageId, "jsonc");
    const text = editor.document.getText();
    assert.match(text, /"authorization": "Bearer \[redacted\]"/);
    assert.match(text, /What's \$HOME\?/);
    await editor
      .edit((builder) => builder.insert(new vscode.Position(0, 0), "x"))
      .then(undefined, () => false);
    // Not compared as a whole: an earlier request that is still open may be replaced by the latest one at any time.
    assert.match(editor.document.getText(), /^\/\/ Request/);
  });

  it("copies the request of the visible document, even without a session", async () => {
    await inspector.show(session);
    await copyFirst(undefined);
    const text = await vscode.env.clipboard.readText();
    assert.match(text, /--url https:\/\/inference\.example\/v1\/chat\/completions/);
    assert.match(text, /\$\{INFERENCE_API_KEY:-YOUR_API_KEY\}/);
  });

  it("copies the last request of a visible conversation", async () => {
    await copyFirst(session);
    assert.match(await vscode.env.clipboard.readText(), /--url https/);
  });
});
