import { createHash, randomUUID } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import * as v from "valibot";
import type { Message } from "../../core/conversation/conversation.ts";
import { parseConversationSettings } from "../../core/conversation/conversation.ts";
import { parseContentParts } from "../../core/conversation/messageDetails.ts";
import { parseJson } from "../../core/kernel/json.ts";
import { systemCodeOf } from "../../core/kernel/thrown.ts";
import { parseMessageRow } from "../database/messageRow.ts";
import { hasProcess } from "../files/hasProcess.ts";
import { removeFile, renameFile } from "../files/heldFile.ts";
import type { Change } from "./tables.ts";

/** Changes that are written together, in one transaction of the database and in one line of a spill file. */
export interface Batch {
  /** Identifies the batch, so that it is taken into the database exactly once. */
  readonly key: string;
  /** The window that has made the changes. */
  readonly windowId: string;
  readonly changes: readonly Change[];
}

/** A spill file that its window has left. */
export interface LeftSpill {
  readonly path: string;
  readonly bytes: number;
  /** Without a line that was cut off in the middle, or that can't be read. */
  readonly batches: readonly Batch[];
}

const mark = ".spill-";
/** The end of the name of a file that isn't complete. */
const unfinishedEnd = ".jsonl.new";
/**
 * Milliseconds without a change after which a file is taken in even if a process has its ID: IDs are used again. Nothing
 * is lost if its window still runs.
 */
const leftAfterMs = 600_000;
/** How the names of this process's files go on, and of those that were left on purpose: no process has the ID 0. */
const [owner, ownerLeft] = [`${hostname()}-${process.pid}-`, `${hostname()}-0-`];
/** Bytes of a spill file that are read. No window keeps more than this in memory. */
const largest = 500_000_000;

/**
 * What a window can't write to the database: one line of JSON for each batch of changes. It is next to the database or,
 * if that is impossible, in the folder for temporary files.
 */
export class SpillFile {
  /** Where it may be, in the order of preference. */
  readonly #candidates: string[];
  /** The files that were written. There is a second one if the first can't grow anymore. */
  readonly #paths = new Set<string>();

  /** @param database The path of the database. */
  constructor(database: string) {
    const name = `${owner}${randomUUID()}.jsonl`;
    this.#candidates = foldersOf(database).map(({ folder, prefix }) => join(folder, `${prefix}${name}`));
  }

  /** Where the changes are; undefined while there is no file. */
  get path(): string | undefined {
    return [...this.#paths].at(-1);
  }

  /** Adds these batches, or replaces everything by them. Returns false if they can't be written anywhere. */
  write(batches: readonly Batch[], isReplaced: boolean): boolean {
    // A line that was cut off on a full disk isn't read, so each begins on a line of its own.
    const text = batches.map((batch) => `\n${JSON.stringify(batch)}\n`).join("");
    for (const [index, path] of this.#candidates.entries()) {
      try {
        if (isReplaced) replace(path, text);
        else append(path, text, this.#paths.has(path));
        this.#paths.add(path);
        if (isReplaced) this.#remove((each) => each !== path);
        // What comes later must not be read before this, so it doesn't go to an earlier folder again.
        this.#candidates.push(...this.#candidates.splice(0, index));
        return true;
      } catch {
        // The next folder may be on another disk.
      }
    }
    return false;
  }

  /** Called when everything is in the database. */
  remove(): void {
    this.#remove(() => true);
  }

  /** Leaves the file to the next window, even one in this process. */
  leave(): void {
    for (const path of this.#paths) {
      try {
        renameFile(path, path.replace(owner, ownerLeft));
      } catch {
        // The next window takes it in once this process has ended.
      }
    }
    this.#paths.clear();
  }

  #remove(isRemoved: (path: string) => boolean): void {
    for (const path of [...this.#paths].filter(isRemoved)) {
      // If another program has it open, it is removed the next time. Everything in it is taken in only once.
      if (removeQuietly(path)) this.#paths.delete(path);
    }
  }
}

/** Returns whether the file is gone. */
function removeQuietly(path: string): boolean {
  try {
    removeFile(path);
    return true;
  } catch {
    return false;
  }
}

/** Nothing is left of what can't be written as a whole. */
function append(path: string, text: string, isKnown: boolean): void {
  const length = isKnown && existsSync(path) ? statSync(path).size : undefined;
  try {
    appendFileSync(path, text, { mode: 0o600, flag: isKnown ? "a" : "ax" });
  } catch (error) {
    if (length !== undefined) truncateSync(path, length);
    else if (systemCodeOf(error) !== "EEXIST") removeFile(path);
    throw error;
  }
}

function replace(path: string, text: string): void {
  const temporary = path.replace(/\.jsonl$/u, unfinishedEnd);
  try {
    removeFile(temporary);
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    renameFile(temporary, path);
  } catch (error) {
    removeFile(temporary);
    throw error;
  }
}

/**
 * The files that windows of this database have left. Only the user's own files are read.
 * @param isForced Whether those are included of which it isn't known whether their windows still run, on other machines.
 */
export function listLeftSpills(database: string, isForced = false): readonly LeftSpill[] {
  return leftFiles(database, ".jsonl", isForced).flatMap(readSpill);
}

/** Deletes what windows have left that were killed while they wrote it. A complete file has all of it. */
export function deleteUnfinishedSpills(database: string): void {
  for (const path of leftFiles(database, unfinishedEnd, false)) removeQuietly(path);
}

function leftFiles(database: string, end: string, isForced: boolean): readonly string[] {
  return foldersOf(database).flatMap(({ folder, prefix }) =>
    namesIn(folder)
      .filter((name) => name.startsWith(prefix) && name.endsWith(end))
      .filter((name) => isLeft(join(folder, name), name.slice(prefix.length), isForced))
      .map((name) => join(folder, name)),
  );
}

/** Empty if another window has just taken it in, or if it can't be read. */
function readSpill(path: string): readonly LeftSpill[] {
  try {
    const text = readFileSync(path, "utf8");
    return [{ path, bytes: Buffer.byteLength(text), batches: text.split("\n").flatMap(parseBatch) }];
  } catch {
    return [];
  }
}

/** Other databases may have spill files in the folder for temporary files, too. */
function foldersOf(database: string): readonly { readonly folder: string; readonly prefix: string }[] {
  const hash = createHash("sha256").update(database).digest("hex").slice(0, 16);
  return [
    { folder: dirname(database), prefix: `${basename(database)}${mark}` },
    { folder: tmpdir(), prefix: `inference-gateway-${hash}${mark}` },
  ];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** @param name The part of the name that says which process has written it. */
function isLeft(path: string, name: string, isForced: boolean): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // Anyone can write to the folder for temporary files.
  if (stat?.isFile() !== true || stat.uid !== (process.getuid?.() ?? stat.uid) || stat.size > largest)
    return false;
  if (Math.abs(Date.now() - stat.mtimeMs) > leftAfterMs) return true;
  const host = `${hostname()}-`;
  if (!name.startsWith(host)) return isForced;
  // In a container, the next window may have the same process ID.
  if (name.startsWith(owner)) return stat.mtimeMs < Date.now() - process.uptime() * 1_000;
  return !hasProcess(Number.parseInt(name.slice(host.length), 10));
}

const { string, number, object, literal, picklist, array, exactOptional, pipe, unknown, transform } = v;

const draft = object({
  ...{ text: string(), attachments: pipe(unknown(), transform(parseContentParts)) },
  quotes: exactOptional(array(object({ place: string(), start: number(), end: number() }))),
});
const queued = object({ id: string(), ...draft.entries });
const origin = object({ windowId: string(), now: number(), base: exactOptional(string()) });
const toMessage = { conversationId: string() };

/** The changes as they are written, by their types. */
const rule = v.variant("type", [
  object({
    type: literal("conversation"),
    fields: object({
      ...{ id: string(), title: string(), createdAt: number(), updatedAt: number() },
      ...{
        model: exactOptional(string()),
        leafId: exactOptional(string()),
        workspace: exactOptional(string()),
      },
      settings: exactOptional(
        pipe(
          unknown(),
          transform((value) => parseConversationSettings(value) ?? {}),
        ),
      ),
    }),
  }),
  object({ type: literal("pin"), id: string(), isPinned: v.boolean() }),
  object({ type: literal("tags"), id: string(), tags: array(string()) }),
  object({ type: literal("title"), id: string(), title: string(), source: picklist(["user", "model"]) }),
  object({ type: literal("delete"), id: string(), at: number() }),
  object({ type: picklist(["restore", "purge"]), id: string() }),
  object({
    ...{ type: literal("message"), ...toMessage },
    message: pipe(
      v.looseObject({ id: string() }),
      transform((value) => parseMessage(value)),
    ),
  }),
  object({ type: literal("growth"), ...toMessage, messageId: string(), text: string(), reasoning: string() }),
  object({ type: literal("removeMessage"), ...toMessage, messageId: string() }),
  object({ type: literal("draft"), ...toMessage, draft, origin }),
  object({ type: literal("takeDraft"), ...toMessage, windowId: string(), origin }),
  object({ type: literal("dropDraft"), ...toMessage, windowId: string() }),
  object({
    ...{ type: literal("queue"), ...toMessage },
    change: v.variant("type", [
      object({ type: picklist(["add", "edit"]), message: queued }),
      object({ type: picklist(["remove", "release"]), id: string() }),
      object({ type: literal("order"), ids: array(string()) }),
    ]),
  }),
]);

const batchRule = object({ key: string(), windowId: string(), changes: array(unknown()) });

/** A change that this version doesn't know is left out. */
function parseBatch(line: string): readonly Batch[] {
  const batch = v.safeParse(batchRule, parseJson(line));
  if (!batch.success) return [];
  const changes = batch.output.changes.flatMap((value): readonly Change[] => {
    const change = v.safeParse(rule, value);
    return change.success ? [change.output] : [];
  });
  return [{ ...batch.output, changes }];
}

/** The fields of a message that its row keeps as JSON are read as they are there. */
function parseMessage(value: Readonly<Record<string, unknown>>): Message {
  const { createdAt, parentId, attachments } = value;
  const row = { ...value, created_at: createdAt, parent_id: parentId, details: JSON.stringify(value) };
  return parseMessageRow(row, parseContentParts(attachments));
}
