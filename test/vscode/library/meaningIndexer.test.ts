import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryConversationStore } from "../../../src/core/conversation/inMemoryConversationStore.ts";
import { importedMessage } from "../../../src/core/library/import/imported.ts";
import { quantize } from "../../../src/core/library/meaning/passages.ts";
import { loadSqlite } from "../../../src/storage/database/sqlite.ts";
import { MeaningIndex } from "../../../src/storage/search/meaningIndex.ts";
import { MeaningIndexer } from "../../../src/vscode/library/meaningIndexer.ts";

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

describe("A full index for search by meaning", () => {
  const vector = quantize([1, 1]) ?? assert.fail();
  let folder: string;
  let index: MeaningIndex;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "meaning-full-"));
    index = new MeaningIndex(loadSqlite(), join(folder, "meaning.db"));
    index.open("a");
  });
  afterEach(() => {
    index.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("leaves out what doesn't fit without sending it, and takes it in once there is room", async () => {
    const store = new InMemoryConversationStore();
    const write = (id: string): void => {
      store.saveConversation({ id, title: id, createdAt: 1, updatedAt: 1 });
      const text = `What was said in ${id} is long enough to be searched.`;
      store.saveMessage(id, importedMessage({ id: `m-${id}`, role: "user", createdAt: 1, text }));
    };
    for (const id of ["latest", "earlier", "large"]) write(id);
    const many = Array.from({ length: 49_999 }, (_, part) => ({
      ...{ messageId: "m-large", part, text: "", hash: `${part}`, vector },
    }));
    index.put("large", many);
    const sent: string[] = [];
    const embed = async (texts: readonly string[]) => {
      sent.push(...texts);
      return texts.map(() => vector);
    };
    const indexer = new MeaningIndexer(index, { log: silent, store: async () => store });
    const { signal } = new AbortController();
    const indexed = (): readonly string[] => [...index.states().keys()].toSorted();
    await indexer.look(embed, signal);
    assert.equal(index.count, 50_000);
    assert.ok(indexed().includes("latest") && !indexed().includes("earlier"), indexed().join());
    assert.equal(sent.length, 1);
    assert.match(sent.join(), /latest/);
    await indexer.look(embed, signal);
    assert.equal(sent.length, 1, "nothing is sent again while the index is full");
    store.deleteConversation("large");
    await indexer.look(embed, signal);
    assert.deepEqual(indexed(), ["earlier", "latest"]);
    assert.equal(index.count, 2);
    assert.equal(sent.length, 2);
  });
});
