import { t } from "@vscode/l10n";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { ServiceError } from "../../core/kernel/errors.ts";
import { messageOf } from "../../core/kernel/thrown.ts";
import type { ConversationArchive } from "../../core/conversation/conversationStore.ts";
import { copyDatabase } from "../database/readableCopy.ts";
import { FolderLease, folderRenewalMs } from "../database/folderLease.ts";
import type { FolderWriter } from "../database/folderLease.ts";
import { hasChanged, mergeCopy } from "./mergeStores.ts";
import { openConversationStore } from "./openConversationStore.ts";
import type { StoreOptions } from "./storeOptions.ts";

interface SharedFolderContext {
  /** The folder that the user has chosen. */
  readonly folder: string;
  /** A folder of our own on this machine, for the copy. */
  readonly copyFolder: string;
  readonly options: StoreOptions;
  /** The name of this machine. Defaults to the system's host name. */
  readonly host?: string;
  /** Called when the conversations continue in another store: the folder's or the copy. */
  onSwitch(next: ConversationArchive): void;
  /** Called with the machine that writes to the folder; with undefined when this one does. */
  onWriter(writer: FolderWriter | undefined): void;
  /** Runs a function regularly and returns a function that ends that. Defaults to the timers of the process. */
  repeat?(run: () => void, ms: number): () => void;
}

/**
 * Conversations in a folder that several machines may have, such as one on a synced disk. One machine at a time writes
 * to it. The others continue in a copy of their own, which is merged into the folder when it is their turn, so that
 * nothing is lost whichever machine goes to sleep.
 */
export class SharedFolder {
  readonly #context: SharedFolderContext;
  readonly #lease: FolderLease;
  readonly #file: string;
  readonly #copy: string;
  /** The base of the copy: what it was made from. It exists until the copy is merged. */
  readonly #base: string;
  /**
   * The base after a window has merged the copy, kept for the other windows of this machine that haven't merged their
   * part yet.
   */
  readonly #merged: string;
  #store: ConversationArchive | undefined;
  #writer: FolderWriter | undefined;
  /** Ends the regular renewal. */
  #stop: (() => void) | undefined;
  #isBusy = false;
  #isClosed = false;

  constructor(context: SharedFolderContext) {
    this.#context = context;
    const { folder, copyFolder, options } = context;
    const monotonic = options.monotonic?.bind(options) ?? ((): number => performance.now());
    this.#lease = new FolderLease(folder, () => options.now(), monotonic, context.host);
    this.#file = join(folder, "conversations.db");
    this.#copy = join(copyFolder, "copy.db");
    this.#base = join(copyFolder, "base.db");
    this.#merged = join(copyFolder, "merged.db");
  }

  /** Rejects with a ServiceError `configuration` if the folder can't be used; nothing is changed then. */
  async open(): Promise<ConversationArchive> {
    this.#checkFolder();
    const writer = this.#acquire();
    const store = writer === undefined ? await this.#openFolder() : await this.#openCopy();
    this.#store = store;
    // Other windows may still have to merge what they wrote to it.
    if (writer === undefined && !this.#lease.isShared) removeMergedCopy(this.#context.copyFolder);
    this.#tell(writer);
    this.#stop ??= (this.#context.repeat ?? repeatedly)(() => void this.look(), folderRenewalMs);
    return store;
  }

  /**
   * Makes this machine the writer, because the user says that the other one isn't in use. Rejects with a ServiceError
   * `configuration` if the folder can't be written.
   */
  async takeOver(): Promise<void> {
    this.#use(() => this.#lease.takeOver());
    await this.look();
  }

  /** Renews the lease, or checks whether it is this machine's turn. Called regularly. */
  async look(): Promise<void> {
    if (this.#isBusy || this.#isClosed || this.#store === undefined) return;
    this.#isBusy = true;
    try {
      const before = this.#writer;
      const writer = this.#acquire();
      if ((before === undefined) !== (writer === undefined)) await this.#switch(writer);
      else if (writer !== undefined) await this.#refresh();
      this.#tell(writer);
    } catch {
      // The disk may be unavailable for a moment. What is open continues, and the next check may succeed.
    } finally {
      this.#isBusy = false;
    }
  }

  /** The open store must be closed separately before this. */
  close(): void {
    this.#isClosed = true;
    this.#stop?.();
    if (this.#writer !== undefined || this.#store === undefined) return;
    try {
      this.#lease.release();
    } catch {
      // Without the folder, there is nothing to release.
    }
  }

  #tell(writer: FolderWriter | undefined): void {
    this.#writer = writer;
    this.#context.onWriter(writer);
  }

  async #switch(writer: FolderWriter | undefined): Promise<void> {
    this.#store?.flush();
    const next = writer === undefined ? await this.#openFolder() : await this.#openCopy();
    this.#store = next;
    this.#context.onSwitch(next);
  }

  /** A disk that isn't mounted must not be replaced by an empty folder of the same name. */
  #checkFolder(): void {
    const { folder } = this.#context;
    if (existsSync(folder) ? statSync(folder).isDirectory() : existsSync(dirname(folder))) return;
    throw problem(t("The conversations folder {0} doesn't exist. Is its disk connected?", folder));
  }

  #acquire(): FolderWriter | undefined {
    return this.#use(() => this.#lease.acquire());
  }

  #use<Result>(use: () => Result): Result {
    try {
      return use();
    } catch (error) {
      const reason = messageOf(error);
      throw problem(
        t("The conversations folder {0} can't be written to: {1}", this.#context.folder, reason),
        error,
      );
    }
  }

  async #openFolder(): Promise<ConversationArchive> {
    const store = await openConversationStore(this.#file, { ...this.#context.options, isShared: true });
    // Without its base, another window of this machine has merged the copy, except what this window wrote since then.
    const isOwnCopy = this.#writer !== undefined && this.#store !== undefined;
    if (!existsSync(this.#copy) || !(isOwnCopy || existsSync(this.#base))) return store;
    const copy = await this.#openOwn(this.#copy);
    const base = (await this.#openBase()) ?? (await this.#openBase(this.#merged));
    mergeCopy(copy, base, store);
    const isPersisted = await store.persist();
    // What was written to the copy in the meantime.
    if (isOwnCopy && this.#store !== undefined) mergeCopy(this.#store, base, store);
    copy.close();
    base?.close();
    // The copy stays for other windows of this machine that haven't merged their part yet.
    if (isPersisted && existsSync(this.#base)) moveDatabase(this.#base, this.#merged);
    return store;
  }

  /** A copy that isn't merged yet has changes of its own, so it is continued. */
  async #openCopy(): Promise<ConversationArchive> {
    const isMissing = (): boolean => !existsSync(this.#base) || !existsSync(this.#copy);
    if (isMissing()) await this.#makeCopy(isMissing);
    const copy = await this.#openOwn(this.#copy);
    const base = await this.#openBase();
    // What was written to the folder while it was copied.
    if (this.#store !== undefined) mergeCopy(this.#store, base, copy);
    base?.close();
    return copy;
  }

  /**
   * @param mayReplace Called when the copy is ready, because another window of this machine may have been faster, or
   * something may have been written to the older copy.
   */
  async #makeCopy(mayReplace: () => boolean): Promise<boolean> {
    mkdirSync(dirname(this.#copy), { recursive: true, mode: 0o700 });
    const [copy, base] = [`${this.#copy}.${randomUUID()}`, `${this.#base}.${randomUUID()}`];
    try {
      // The other machine may not have created its file yet.
      if (existsSync(this.#file)) await this.#copyFolder(base);
      const opened = await this.#openOwn(base);
      opened.close();
      await copyDatabase(base, copy);
      if (!mayReplace()) return false;
      // A base without its copy would count as everything having been deleted.
      moveDatabase(copy, this.#copy);
      moveDatabase(base, this.#base);
      removeDatabase(this.#merged);
      return true;
    } finally {
      for (const draft of [copy, base]) removeDatabase(draft);
    }
  }

  async #copyFolder(base: string): Promise<void> {
    try {
      await copyDatabase(this.#file, base);
    } catch (error) {
      const { folder } = this.#context;
      throw problem(t("The conversations folder {0} can't be copied: {1}.", folder, messageOf(error)), error);
    }
  }

  /** Replaces a copy that has no changes of its own if the folder has changed. */
  async #refresh(): Promise<void> {
    const copy = this.#store;
    const modified = statSync(this.#file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (copy === undefined || modified <= (statSync(this.#base, { throwIfNoEntry: false })?.mtimeMs ?? 0))
      return;
    const base = await this.#openBase();
    const isUnchanged = (): boolean => base !== undefined && isSame(copy, base);
    const isReplaced = isUnchanged() && (await this.#makeCopy(isUnchanged));
    base?.close();
    if (!isReplaced) return;
    const next = await this.#openOwn(this.#copy);
    this.#store = next;
    this.#context.onSwitch(next);
  }

  async #openBase(file = this.#base): Promise<ConversationArchive | undefined> {
    return existsSync(file) ? await this.#openOwn(file) : undefined;
  }

  async #openOwn(file: string): Promise<ConversationArchive> {
    return await openConversationStore(file, { ...this.#context.options, isShared: true });
  }
}

/** What is shown while another machine writes to the folder. */
export function otherWriterMessage(
  { host, aliveAt }: FolderWriter,
  folder: string,
  formatTime: (ms: number) => string,
): string {
  return t(
    "“{0}” is writing to the conversations folder {1} (last seen: {2}). On “{3}”, conversations continue in a copy, which is merged into the folder when VS Code is closed on “{0}”.",
    host,
    folder,
    formatTime(aliveAt),
    hostname(),
  );
}

/** Whether nothing was written in the copy since it was made. */
function isSame(copy: ConversationArchive, base: ConversationArchive): boolean {
  const list = copy.list();
  return (
    JSON.stringify(base.list()) === JSON.stringify(list) &&
    list.every(({ id }) => !hasChanged(id, copy, base) && copy.queue.loadQueue(id).length === 0)
  );
}

/** Deletes the copy of a folder once it is merged, because it contains conversations that may be deleted there. */
export function removeMergedCopy(copyFolder: string): void {
  // What isn't merged yet has its base.
  if (existsSync(join(copyFolder, "base.db"))) return;
  for (const name of ["copy.db", "merged.db"]) removeDatabase(join(copyFolder, name));
}

/** Replaces a database with another one, which is closed. The search index is rebuilt. */
function moveDatabase(from: string, to: string): void {
  for (const suffix of databaseParts) rmSync(to + suffix, { force: true });
  renameSync(from, to);
  removeDatabase(from);
}

/** The files that may be next to a database. */
const databaseParts = ["-journal", ".search1", ".search1-journal"];

function removeDatabase(file: string): void {
  for (const suffix of ["", ...databaseParts]) rmSync(file + suffix, { force: true });
}

function problem(message: string, cause?: unknown): ServiceError {
  return new ServiceError({ reason: "configuration", message }, cause);
}

function repeatedly(run: () => void, ms: number): () => void {
  const timer = setInterval(run, ms);
  timer.unref();
  return () => clearInterval(timer);
}
