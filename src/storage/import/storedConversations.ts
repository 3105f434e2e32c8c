import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Imported } from "../../core/library/import/imported.ts";
import { openConversationStore } from "../conversations/openConversationStore.ts";
import { databaseSuffixes } from "../database/readableCopy.ts";

/**
 * The conversations in the database of another installation, or of another folder. A private copy is read, because the
 * file may be of an older version, damaged, or in use on another machine. Rejects if it can't be read.
 */
export async function* readStoredConversations(path: string): AsyncGenerator<Imported> {
  const folder = await mkdtemp(join(tmpdir(), "conversations-"));
  try {
    const store = await openCopy(path, join(folder, "conversations.db"));
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

/**
 * Copies the database with its logs, and opens the copy. Rejects if there is no database or the copy can't be opened.
 * @param copy Where to copy it. An older copy there is replaced, and its search index kept.
 */
export async function openCopy(path: string, copy: string): ReturnType<typeof openConversationStore> {
  for (const suffix of databaseSuffixes) {
    await rm(copy + suffix, { force: true });
    // The log's index is only valid for those who have the file open.
    if (suffix === "-shm") continue;
    const copied = copyFile(path + suffix, copy + suffix);
    // Only the database itself is always there.
    await (suffix === "" ? copied : copied.catch(() => undefined));
  }
  return await openConversationStore(copy, { now: () => Date.now(), onProblem: () => undefined });
}
