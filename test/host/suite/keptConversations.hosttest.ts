import assert from "node:assert/strict";
import * as vscode from "vscode";
import { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import type { Conversation } from "../../../src/core/conversation/conversation.ts";
import { InMemoryConversationStore } from "../../../src/core/conversation/inMemoryConversationStore.ts";
import { importedMessage } from "../../../src/core/library/import/imported.ts";
import { appendLines, readKeptFile } from "../../../src/core/library/kept/keptFile.ts";
import { keptMessage, messageLine } from "../../../src/core/library/kept/keptLines.ts";
import { KeptConversation } from "../../../src/vscode/library/keptConversation.ts";
import { KeptConversations } from "../../../src/vscode/library/keptConversations.ts";
import { findAllSecrets } from "../../../src/workers/account/findAllSecrets.ts";
import { ScriptedCompletions } from "../../support/scriptedCompletions.ts";
import { activateExtension } from "./support/extensionContext.ts";
import { MemoryFiles } from "./support/memoryFiles.ts";

const pixel = "iVBORw0KGgo=";
const key = ["AKIA", "Z7QH4MXKWPTV2RYD"].join("");
const folder = vscode.Uri.parse("memory-of-chats:/repository/");
const file = vscode.Uri.joinPath(folder, "a.gateway-chat.jsonl");

const conversation: Conversation = {
  ...{ id: "c1", title: "Plan", createdAt: 1, updatedAt: 2, model: "lab/echo" },
  messages: [
    importedMessage({
      ...{ id: "q", role: "user", createdAt: 1, text: "Look" },
      attachments: [{ type: "image", mediaType: "image/png", data: pixel }],
    }),
    importedMessage({ id: "r", role: "assistant", createdAt: 2, text: "Seen", parentId: "q" }),
  ],
};

describe("A conversation in a repository, on a file system with its own scheme", () => {
  const disposables: vscode.Disposable[] = [];
  const answers: (string | undefined)[] = [];
  const questions: unknown[] = [];
  const original = vscode.window.showWarningMessage;
  let context: vscode.ExtensionContext;

  before(async () => {
    context = await activateExtension();
    disposables.push(vscode.workspace.registerFileSystemProvider(folder.scheme, new MemoryFiles()));
    Reflect.set(vscode.window, "showWarningMessage", (...call: unknown[]) => {
      questions.push(call[0]);
      return Promise.resolve(answers.shift());
    });
  });
  after(() => {
    Reflect.set(vscode.window, "showWarningMessage", original);
    for (const disposable of disposables) disposable.dispose();
  });
  beforeEach(() => questions.splice(0));

  const findSecrets = (text: string) => findAllSecrets(text, () => Promise.resolve());
  const log = { trace: noop, debug: noop, info: noop, warn: noop, error: noop };

  function createWindow(store = new InMemoryConversationStore()) {
    const completions = new ScriptedCompletions();
    const sessions = new Map<string, ChatSession>();
    const open = (id: string): ChatSession => {
      const stored = store.load(id);
      assert.ok(stored);
      let ids = 0;
      const session = new ChatSession(stored, {
        ...{ completions, store, now: () => 1_000, createId: () => `new-${++ids}` },
        defaultModel: () => Promise.resolve("lab/echo"),
        reportError: assert.fail,
      });
      sessions.set(id, session);
      return session;
    };
    const kept = new KeptConversations({
      ...{ log, findSecrets, workspaceState: context.workspaceState },
      store: () => Promise.resolve(store),
      find: (id) => sessions.get(id),
      isShown: () => false,
    });
    disposables.push(kept);
    return { store, completions, kept, open };
  }

  async function writeAll(source: Conversation): Promise<boolean> {
    const head = { id: source.id, title: source.title, createdAt: source.createdAt };
    const writer = new KeptConversation(file, { log, findSecrets });
    return writer.write({ head, changedAt: 5, messages: source.messages }, true);
  }

  async function read(): Promise<string> {
    return Buffer.from(await vscode.workspace.fs.readFile(file)).toString();
  }

  it("is stored when its file is opened, with the images in the folder next to it", async () => {
    assert.ok(await writeAll(conversation));
    assert.doesNotMatch(await read(), new RegExp(pixel));
    const { store, kept } = createWindow();
    const id = await kept.open(file);
    assert.equal(id, "c1");
    assert.deepEqual(store.load(id)?.messages, conversation.messages);
    assert.equal((await kept.fileOf("c1"))?.toString(), file.toString());
  });

  it("gets each new message appended once it is complete, and nothing else", async () => {
    await writeAll(conversation);
    const { kept, open, completions } = createWindow();
    const session = open(await kept.open(file));
    kept.follow(file, session);
    const before = await read();
    session.send("More?");
    const run = await completions.next();
    run.emit({ type: "text", text: "Yes" }, { type: "finish", reason: "stop" });
    run.end();
    await run.settled;
    await kept.release(file, session);
    const after = await read();
    assert.ok(after.startsWith(before));
    const { messages, head } = await readKeptFile(after, () => Promise.resolve());
    assert.deepEqual(
      [messages.map(({ text }) => text), head?.title],
      [["Look", "Seen", "More?", "Yes"], "Plan"],
    );
  });

  it("shows what another branch has added as a version, and continues with its own", async () => {
    await writeAll(conversation);
    const { kept, store } = createWindow();
    await kept.open(file);
    store.saveMessage(
      "c1",
      importedMessage({ id: "mine", role: "user", createdAt: 3, text: "Mine", parentId: "r" }),
    );
    const theirs = importedMessage({
      id: "theirs",
      role: "user",
      createdAt: 4,
      text: "Theirs",
      parentId: "r",
    });
    const merged = appendLines(await read(), [messageLine(keptMessage(theirs, String))]);
    await vscode.workspace.fs.writeFile(file, Buffer.from(`<<<<<<< main\n${merged}>>>>>>> other\n{"mess`));
    await kept.open(file);
    const { messages = [], leafId } = store.load("c1") ?? {};
    assert.deepEqual([messages.map(({ id }) => id), leafId], [["q", "r", "mine", "theirs"], "mine"]);
    assert.match(String(questions[0]), /1 .*can't be read/);
  });

  it("adopts a response that another branch has completed, and never writes its partial text again", async () => {
    const [question, response] = conversation.messages;
    assert.ok(question && response);
    await writeAll({ ...conversation, messages: [question, { ...response, status: "stopped", text: "Se" }] });
    const { kept, open, store, completions } = createWindow();
    await kept.open(file);
    const line = messageLine(keptMessage(response, String), 1);
    await vscode.workspace.fs.writeFile(file, Buffer.from(appendLines(await read(), [line])));
    const session = open(await kept.open(file));
    assert.equal(store.load("c1")?.messages[1]?.text, "Seen");
    kept.follow(file, session);
    session.send("More?");
    const run = await completions.next();
    run.emit({ type: "text", text: "Yes" }, { type: "finish", reason: "stop" });
    run.end();
    await run.settled;
    await kept.release(file, session);
    const { messages } = await readKeptFile(await read(), () => Promise.resolve());
    assert.deepEqual(
      messages.map(({ text }) => text),
      ["Look", "Seen", "More?", "Yes"],
    );
  });

  it("leaves bytes that aren't text unchanged in its file", async () => {
    await writeAll(conversation);
    const before = Buffer.concat([Buffer.from(await read()), Buffer.from([0x7b, 0xff, 0xfe, 0x0a])]);
    await vscode.workspace.fs.writeFile(file, before);
    const head = { id: "c1", title: "Plan", createdAt: 1 };
    const more = importedMessage({ id: "more", role: "user", createdAt: 3, text: "More", parentId: "r" });
    const writer = new KeptConversation(file, { log, findSecrets });
    assert.ok(await writer.write({ head, changedAt: undefined, messages: [more] }));
    const after = Buffer.from(await vscode.workspace.fs.readFile(file));
    assert.deepEqual(after.subarray(0, before.length), before);
    assert.ok(after.length > before.length);
  });

  it("is a separate conversation if it only claims the ID of another one", async () => {
    const { kept, store } = createWindow();
    store.saveConversation({ id: "c1", title: "Private", createdAt: 1, updatedAt: 1 });
    store.saveMessage("c1", importedMessage({ id: "secret", role: "user", createdAt: 1, text: "Private" }));
    await writeAll(conversation);
    const id = await kept.open(file);
    assert.notEqual(id, "c1");
    assert.deepEqual(
      store.load("c1")?.messages.map((message) => message.id),
      ["secret"],
    );
  });

  it("is masked, written or left alone, as the user decides about a secret in it", async () => {
    const leaking = {
      ...conversation,
      messages: [importedMessage({ id: "q", role: "user", createdAt: 1, text: `Use ${key}` })],
    };
    await writeAll(conversation);
    const before = await read();
    answers.push(undefined);
    assert.equal(await writeAll(leaking), false);
    assert.equal(await read(), before);
    answers.push("Mask and Write");
    assert.ok(await writeAll(leaking));
    assert.doesNotMatch(await read(), new RegExp(key));
    answers.push("Write with Secrets");
    assert.ok(await writeAll(leaking));
    assert.match(await read(), new RegExp(key));
    assert.equal(questions.length, 3);
  });

  it("asks before a system prompt from a file is used", async () => {
    const head = { id: "c2", title: "T", createdAt: 1, systemPrompt: "Obey the file." };
    const writer = new KeptConversation(file, { log, findSecrets });
    await writer.write({ head, changedAt: 5, messages: conversation.messages }, true);
    for (const [answer, expected] of [
      [undefined, undefined],
      ["Use System Prompt", "Obey the file."],
    ] as const) {
      const { kept, store } = createWindow();
      answers.push(answer);
      assert.equal(store.load(await kept.open(file))?.settings?.systemPrompt, expected);
    }
  });

  it("opens in the chat when its file is opened, and other contents are rejected with a sentence", async () => {
    const { kept } = createWindow();
    const other = vscode.Uri.joinPath(folder, "other.gateway-chat.jsonl");
    await vscode.workspace.fs.writeFile(other, Buffer.from("hello\n"));
    await assert.rejects(kept.open(other), /contains no conversation/);
    await writeAll(conversation);
    await vscode.commands.executeCommand("vscode.open", file);
    const isChat = (): boolean => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputCustom && input.viewType === "inferenceGateway.chatFile";
    };
    for (let wait = 0; !isChat() && wait < 600; wait++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    assert.ok(isChat());
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
  });
});

function noop(): void {
  // The log isn't tested here.
}
