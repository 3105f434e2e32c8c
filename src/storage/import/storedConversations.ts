import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Imported } from "../../core/library/import/imported.ts";
import { openConversationStore } from "../conversations/openConversationStore.ts";
import { copyDatabase } from "../database/copyDatabase.ts";

/**
 * The conversations in the database of another installation, or of another folder. A private copy is read, because the
 * file may be of an older version, damaged, or in use on another machine. Rejects if it can't be read.
 */
export async function* readStoredConversations(path: string): AsyncGenerator<Imported> {
  const folder = await mkdtemp(join(tmpdir(), "conversations-"));
  try {
    const copy = join(folder, "conversations.db");
    await copyDatabase(path, copy);
    const store = await openConversationStore(copy, { now: () => Date.now(), onProblem: () => undefined });
    try {
      for (const { id } of store.list()) {
        const conversation = store.load(id);
        if (conversation !== undefined) yield { conversations: [conversation], leftOut: 0 };
      }
    } finally {
      store.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
