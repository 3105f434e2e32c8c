import { copyFileSync, readdirSync, statSync } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Imported } from "../../core/library/import/imported.ts";
import { largestJournal } from "../conversations/growthFormat.ts";
import { journalPrefix } from "../conversations/growthJournal.ts";
import { openConversationStore } from "../conversations/openConversationStore.ts";
import { copyDatabase } from "../database/readableCopy.ts";
import { DamagedError } from "../database/sqliteTrouble.ts";

/** The start of the names of private copies in the system's temporary folder. */
const copyPrefix = "inference-gateway-import-";
/** An import that began this many milliseconds ago was killed. */
const longestImportMs = 6 * 3_600_000;

/**
 * Deletes the copies of imports that were killed: whole databases of conversations, and folders in our own storage.
 * @param now Milliseconds since 1970.
 */
export async function removeAbandonedCopies(storagePath: string, now: number): Promise<void> {
  for (const [folder, prefix] of [
    [storagePath, "copies-"],
    [tmpdir(), copyPrefix],
  ] as const) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((each) => each.startsWith(prefix))) {
      const path = join(folder, name);
      const { mtimeMs = now } = await stat(path).catch(() => ({ mtimeMs: undefined }));
      // A folder that belongs to another user can't be deleted, and isn't ours.
      if (now - mtimeMs > longestImportMs)
        await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

/**
 * The conversations in the database of another installation, or of another folder. A private copy is read, because the
 * file may be of an older version, damaged, or in use on another machine. Rejects if it can't be read: with a
 * DamagedError if nothing in it is a conversation of this extension, although it isn't empty.
 */
export async function* readStoredConversations(path: string): AsyncGenerator<Imported> {
  const folder = await mkdtemp(join(tmpdir(), copyPrefix));
  try {
    const copy = join(folder, "conversations.db");
    copyJournals(path, copy);
    await copyDatabase(path, copy);
    let isDamaged = false;
    const store = await openConversationStore(copy, {
      now: () => Date.now(),
      onProblem() {
        isDamaged = true;
      },
    });
    try {
      const list = store.list();
      if (isDamaged && list.length === 0) throw new DamagedError("Nothing could be recovered.");
      for (const { id } of list) {
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

/** Copies the journals of a database. If this is done before the database is copied, nothing is missing in the copy. */
function copyJournals(database: string, copy: string): void {
  const prefix = journalPrefix(database);
  try {
    for (const name of readdirSync(dirname(database)).filter((each) => each.startsWith(prefix)))
      copyJournal(
        join(dirname(database), name),
        join(dirname(copy), journalPrefix(copy) + name.slice(prefix.length)),
      );
  } catch {
    // The folder can't be listed.
  }
}

function copyJournal(path: string, copy: string): void {
  try {
    if (statSync(path).size <= largestJournal) copyFileSync(path, copy);
  } catch {
    // Its window has just removed it.
  }
}
