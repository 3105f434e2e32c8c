import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { ConversationArchive } from "../../../src/core/conversation/conversationStore.ts";
import { openConversationStore } from "../../../src/storage/conversations/openConversationStore.ts";
import { findRemoteDatabases, offerEarlierStores } from "../../../src/vscode/library/earlierStores.ts";
import { importDatabase } from "../../../src/vscode/library/importConversations.ts";

const data = "data/User/globalStorage/inference-gateway.inference-gateway/conversations.db";

describe("Conversations that are stored elsewhere", () => {
  let folder: string;
  const stores: ConversationArchive[] = [];
  const extension = vscode.extensions.getExtension("inference-gateway.inference-gateway");

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "earlier-"));
  });

  afterEach(() => {
    for (const store of stores.splice(0)) store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(...path: readonly string[]): Promise<ConversationArchive> {
    const options = { now: () => Date.now(), onProblem: (text: string) => assert.fail(text) };
    const store = await openConversationStore(join(folder, ...path, "conversations.db"), options);
    stores.push(store);
    return store;
  }

  function save(store: ConversationArchive, id: string, ...messages: readonly string[]): void {
    store.saveConversation({ id, title: id, createdAt: 1, updatedAt: 1 });
    for (const [index, text] of messages.entries())
      store.saveMessage(id, {
        ...{ id: `${id}-${text}`, role: "user", status: "complete", createdAt: index, text },
        ...{ attachments: [], reasoning: "", toolCalls: [] },
      });
    store.flush();
  }

  function locations() {
    assert.ok(extension !== undefined);
    return { extensionUri: extension.extensionUri, storageUri: vscode.Uri.file(join(folder, "own")) };
  }

  it("are found on the remote machine for any of its servers, copied, and merged by message", async () => {
    const there = await open("there");
    save(there, "remote", "one", "two");
    save(there, "both", "same", "only there");
    there.saveConversation({ id: "cut", title: "cut", createdAt: 1, updatedAt: 1 });
    there.saveMessage("cut", {
      ...{ id: "cut-1", role: "assistant", status: "streaming", createdAt: 1, text: "Half" },
      ...{ attachments: [], reasoning: "", toolCalls: [] },
    });
    there.close();
    const database = vscode.Uri.parse(`memfs:/home/someone/.vscode-server-oss/${data}`);
    const steps = database.path.split("/").slice(1, -1);
    for (const count of steps.keys())
      await vscode.workspace.fs.createDirectory(
        database.with({ path: `/${steps.slice(0, count + 1).join("/")}` }),
      );
    await vscode.workspace.fs.writeFile(database, readFileSync(join(folder, "there", "conversations.db")));
    // The files on the machine when it was killed, with growth that wasn't in the database yet.
    const growth = {
      conversationId: "cut",
      messageId: "cut-1",
      at: { text: 4, reasoning: 0 },
      text: " a word",
    };
    await vscode.workspace.fs.writeFile(
      database.with({ path: `${database.path}.growth-1` }),
      Buffer.from(
        `${JSON.stringify({ host: "remote", processId: 1, process: "a" })}\n${JSON.stringify(growth)}\n`,
      ),
    );
    const found = await findRemoteDatabases([vscode.Uri.parse("memfs:/project")]);
    assert.deepEqual(found.map(String), [database.toString()]);
    // On a machine with several users, only the home around the workspace is the user's own.
    await vscode.workspace.fs.createDirectory(vscode.Uri.parse("memfs:/home/other"));
    for (const [workspace, count] of [
      ["memfs:/project", 0],
      ["memfs:/home/other/project", 0],
      ["memfs:/home/someone/project", 1],
    ] as const)
      assert.equal((await findRemoteDatabases([vscode.Uri.parse(workspace)])).length, count);
    const here = await open("here");
    save(here, "both", "same", "only here");
    for (const sentence of [
      "2 conversations were imported. Conversations with new messages: 1.",
      "No conversation was imported. Already imported: 3.",
    ])
      assert.equal((await importDatabase(here, locations(), database)).sentence(), sentence);
    const texts = here.load("both")?.messages.map(({ text }) => text);
    assert.deepEqual(texts, ["same", "only here", "only there"]);
    assert.equal(here.load("remote")?.messages.length, 2);
    assert.equal(here.load("cut")?.messages[0]?.text, "Half a word");
  });

  it("are copied from the previous folder once the user agrees, and kept there", async () => {
    const own = await open("own");
    save(own, "earlier", "one");
    own.close();
    const chosen = join(folder, "chosen");
    const settings = vscode.workspace.getConfiguration("inferenceGateway");
    await settings.update("chat.storageFolder", chosen, vscode.ConfigurationTarget.Global);
    const before = vscode.window.showInformationMessage;
    const questions: unknown[] = [];
    Reflect.set(vscode.window, "showInformationMessage", async (question: unknown) => {
      questions.push(question);
      return "Copy Conversations";
    });
    const values = new Map<string, unknown>();
    const globalState = {
      get: (key: string) => values.get(key),
      update: async (key: string, value: unknown) => void values.set(key, value),
    } as unknown as vscode.Memento;
    try {
      const store = await open("chosen");
      await offerEarlierStores({ ...locations(), globalState, store });
      await offerEarlierStores({ ...locations(), globalState, store });
      assert.equal(questions.length, 1);
      assert.match(String(questions[0]), /Conversations are now stored in .*chosen/);
      assert.deepEqual(
        store.list().map(({ id }) => id),
        ["earlier"],
      );
      assert.deepEqual(
        (await open("own")).list().map(({ id }) => id),
        ["earlier"],
      );
    } finally {
      Reflect.set(vscode.window, "showInformationMessage", before);
      await settings.update("chat.storageFolder", undefined, vscode.ConfigurationTarget.Global);
    }
  });
});
