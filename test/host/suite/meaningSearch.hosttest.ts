import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Profile } from "../../../src/core/account/profile.ts";
import type { ConversationArchive } from "../../../src/core/conversation/conversationStore.ts";
import { embeddingModel } from "../../../src/localGateway/inference/catalog.ts";
import { createEmbeddings } from "../../../src/localGateway/inference/embeddings.ts";
import { openConversationStore } from "../../../src/storage/conversations/openConversationStore.ts";
import { MeaningSearch } from "../../../src/vscode/library/meaningSearch.ts";
import type { MeaningSearchContext } from "../../../src/vscode/library/meaningSearch.ts";
import { storedMessage } from "../../support/storeFolder.ts";
import { activateExtension } from "./support/extensionContext.ts";

const secret = "canary-secret-0001";

describe("The search by meaning", () => {
  let folder: string;
  const sent: string[] = [];
  const profile = { name: "Cloud", inferenceBaseUrl: "https://lab.test/v1" } as unknown as Profile;
  let store: ConversationArchive;
  let search: MeaningSearch;
  let setting: vscode.WorkspaceConfiguration;

  before(async () => {
    await activateExtension();
    setting = vscode.workspace.getConfiguration("inferenceGateway");
    await setting.update(
      "chat.searchByMeaning",
      { profile: "Cloud", model: embeddingModel },
      vscode.ConfigurationTarget.Global,
    );
  });
  after(async () => {
    await setting.update("chat.searchByMeaning", undefined, vscode.ConfigurationTarget.Global);
  });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "meaning-"));
    sent.length = 0;
    store = await openConversationStore(join(folder, "conversations.db"), {
      now: () => Date.now(),
      onProblem: assert.fail,
    });
    const values = new Map<string, unknown>();
    search = new MeaningSearch({
      storageUri: vscode.Uri.file(folder),
      globalState: {
        get: (key: string) => values.get(key),
        update: async (key: string, value: unknown) => void values.set(key, value),
      },
      profiles: { find: (name: string) => (name === "Cloud" ? profile : undefined) },
      clients: {
        async embed(_: Profile, model: string, texts: readonly string[]) {
          sent.push(...texts);
          const { data } = createEmbeddings({ model, input: texts }) as {
            data: readonly { embedding: readonly number[] }[];
          };
          return data.map(({ embedding }) => embedding);
        },
      },
      log: { info: () => undefined, error: assert.fail },
      store: async () => store,
      findSecrets: async (text: string) => (text.includes(secret) ? [{ kind: "key", value: secret }] : []),
    } as unknown as MeaningSearchContext);
    for (const [id, text] of [
      ["certificate", `Please renew the certificate of the server, the key is ${secret}`],
      ["cake", "Bake a chocolate cake for the party"],
    ] as const) {
      const now = Date.now();
      store.saveConversation({ id, title: id, createdAt: now, updatedAt: now });
      store.saveMessage(id, storedMessage(`${id} question`, { text }));
    }
  });
  afterEach(() => {
    search.dispose();
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const find = async (query: string): Promise<readonly string[]> =>
    (await search.find(query, new AbortController().signal)).map(({ conversationId }) => conversationId);

  async function agreeAndIndex(): Promise<void> {
    await search.agree({ profile, model: embeddingModel });
    await search.look();
  }

  it("sends nothing before the user has agreed, whatever is in the settings", async () => {
    search.start();
    await search.look();
    assert.deepEqual([await find("server"), sent], [[], []]);
    assert.equal(existsSync(join(folder, "meaning.db")), false);
  });

  it("indexes conversations with secrets masked, and finds them by other words", async () => {
    await agreeAndIndex();
    assert.equal(sent.length, 2);
    assert.ok(!sent.join().includes(secret));
    assert.deepEqual(await find("renewal of server certificates"), ["certificate"]);
    assert.deepEqual(await search.progress(), { done: 2, total: 2 });
    await search.look();
    assert.equal(sent.length, 3, "only the search was sent since then");
  });

  it("sends only what is new, and forgets a deleted conversation at once", async () => {
    await agreeAndIndex();
    store.saveMessage("cake", storedMessage("more", { text: "Then peel the potatoes" }));
    store.flush();
    sent.length = 0;
    await search.look();
    assert.deepEqual(sent, ["Then peel the potatoes"]);
    assert.deepEqual(await find("peel potatoes"), ["cake"]);
    store.deleteConversation("cake");
    store.flush();
    await search.look();
    assert.ok(!(await find("peel potatoes")).includes("cake"));
    assert.equal((await search.progress()).total, 1);
  });

  it("compares only conversations that have changed with the index, and recent ones", async () => {
    await agreeAndIndex();
    const old = Date.now() - 10 * 86_400_000;
    for (let index = 0; index < 5; index++) {
      store.saveConversation({ id: `old ${index}`, title: "Old", createdAt: old, updatedAt: old });
      store.saveMessage(
        `old ${index}`,
        storedMessage(`old ${index} text`, { text: `Garden number ${index}` }),
      );
    }
    store.flush();
    await search.look();
    assert.equal((await search.progress()).done, 7);
    const compared: string[] = [];
    const { changeMark } = store;
    store.changeMark = (id) => {
      compared.push(id);
      return changeMark.call(store, id);
    };
    store.saveMessage("old 3", storedMessage("another", { text: "And a fountain" }));
    store.saveConversation({ id: "old 3", title: "Old", createdAt: old, updatedAt: old + 1 });
    store.flush();
    sent.length = 0;
    await search.look();
    store.changeMark = changeMark;
    assert.deepEqual([compared.toSorted(), sent], [["cake", "certificate", "old 3"], ["And a fountain"]]);
  });

  it("deletes its index when it is turned off, and sends nothing more", async () => {
    await agreeAndIndex();
    assert.equal(existsSync(join(folder, "meaning.db")), true);
    await search.turnOff();
    assert.equal(existsSync(join(folder, "meaning.db")), false);
    sent.length = 0;
    await search.look();
    assert.deepEqual([await find("server"), sent], [[], []]);
  });
});
