import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { ConversationStore } from "../../../src/core/conversation/conversationStore.ts";
import { ZipReader } from "../../../src/processes/library/zip.ts";
import type { saveAllConversations } from "../../../src/vscode/library/exportConversation.ts";
import { FakeSecrets } from "../../core/account/secrets/fakeSecrets.ts";
import { fakeWindow, installFakeVscode } from "../../support/fakeVscode.ts";
import { temporaryStore, storedMessage } from "../../support/storeFolder.ts";

describe("Exporting all conversations", () => {
  const secret = new FakeSecrets(5).random(40);
  let save: typeof saveAllConversations;
  let folder: string;
  let store: ConversationStore;

  before(async () => {
    installFakeVscode();
    ({ saveAllConversations: save } = await import("../../../src/vscode/library/exportConversation.ts"));
  });
  beforeEach(() => {
    // Other tests may have left something.
    fakeWindow.shown.length = 0;
    folder = mkdtempSync(join(tmpdir(), "export-all-"));
    fakeWindow.save = (offered) => {
      assert.match(basename(offered), /^inference-gateway-conversations-\d{4}-\d\d-\d\d\.zip$/u);
      return join(folder, "all.zip");
    };
    store = temporaryStore();
    for (const id of ["with", "without"]) {
      store.save({ type: "conversation", fields: { id, title: id, createdAt: 1, updatedAt: 1 } });
      const text = id === "with" ? `const apiKey = "${secret}";` : "Hello";
      store.save({ type: "message", conversationId: id, message: storedMessage(`${id}-1`, { text }) });
    }
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    fakeWindow.shown.length = 0;
    fakeWindow.press = () => undefined;
    fakeWindow.save = () => undefined;
  });

  async function exportAll(): Promise<readonly string[]> {
    await save(store);
    return fakeWindow.shown.map(({ message }) => message);
  }

  function readArchive(): string {
    assert.deepEqual(readdirSync(folder), ["all.zip"]);
    const archive = new ZipReader(join(folder, "all.zip"));
    const texts = archive.entries.map((entry) => archive.read(entry).toString());
    archive.close();
    assert.equal(texts.length, 2);
    return texts.join("\n");
  }

  const question = "The conversations contain a value that looks like a secret.";

  it("masks secrets or keeps them, as the user decides, and writes nothing if the question is dismissed", async () => {
    assert.deepEqual(await exportAll(), [question]);
    assert.deepEqual(readdirSync(folder), []);
    fakeWindow.press = ({ buttons }) => buttons.find((button) => button === "Mask and Export");
    const [, , done] = await exportAll();
    assert.match(done ?? "", /^The conversations were exported to .*\.zip\.$/u);
    assert.ok(!readArchive().includes(secret));
    assert.match(readArchive(), /Hello/u);
    fakeWindow.press = ({ buttons }) => buttons.find((button) => button === "Export with Secrets");
    await exportAll();
    assert.ok(readArchive().includes(secret));
  });

  it("says why it failed, and confirms nothing", async () => {
    store.save({ type: "delete", id: "with" });
    fakeWindow.save = () => join(folder, "gone", "all.zip");
    const messages = await exportAll();
    assert.equal(messages.length, 1);
    assert.match(messages[0] ?? "", /^The conversations couldn't be exported\. ENOENT/u);
    mkdirSync(join(folder, "gone"));
    assert.equal((await exportAll()).length, 2);
    assert.deepEqual(readdirSync(join(folder, "gone")), ["all.zip"]);
  });

  it("asks nothing more if no location is chosen", async () => {
    fakeWindow.save = () => undefined;
    assert.deepEqual(await exportAll(), []);
  });
});
