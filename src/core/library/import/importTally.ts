import { t } from "@vscode/l10n";
import { messageLength } from "../../conversation/conversation.ts";
import type { Conversation, Message } from "../../conversation/conversation.ts";
import type { ConversationStore } from "../../conversation/conversationStore.ts";
import { parseTags } from "../../conversation/conversationTags.ts";
import { titleForMessages } from "../history/conversationGroups.ts";
import type { Imported } from "./imported.ts";
import { formatNumber } from "../../kernel/formatTime.ts";

/** Maximum number of unusable files to name; the others are only counted. */
const mostNamed = 3;

/**
 * Characters of text, images and audio that are written at once, unless a single message is longer. Takes about 10 ms.
 */
const sliceLength = 500_000;
/** Characters that take about as long to write as a message without any. */
const messageCost = 1_500;

/**
 * Adds what was imported to the store without duplicates, and counts it. A conversation that is already stored gets the
 * messages that it doesn't have, as versions and continuations of those that it has.
 */
export class ImportTally {
  readonly #store: ConversationStore;
  readonly #known: Set<string>;
  readonly #problems: string[] = [];
  readonly #changed: string[] = [];
  #added = 0;
  #extended = 0;
  #present = 0;
  #leftOut = 0;
  #refused = 0;
  #unwritten = 0;

  constructor(store: ConversationStore) {
    this.#store = store;
    this.#known = new Set(store.list().map(({ id }) => id));
  }

  /** Number of new conversations. */
  get added(): number {
    return this.#added;
  }

  /** The IDs of the conversations that are new or have new messages. */
  get changed(): readonly string[] {
    return this.#changed;
  }

  /** Whether there were files from which nothing could be imported. */
  get hasRefused(): boolean {
    return this.#refused > 0;
  }

  /**
   * Writes one slice at a time. The consumer can do other work in between. A conversation that takes several slices
   * isn't listed before it is complete: if the consumer stops early or the process is killed, nothing of it remains.
   * @yields The number of new conversations so far.
   */
  *take({ conversations, leftOut }: Imported): Generator<number> {
    this.#leftOut += leftOut;
    for (const conversation of conversations) {
      if (this.#known.has(conversation.id)) this.#extend(conversation);
      else yield* this.#addSlices(conversation);
    }
    this.#write();
  }

  /** Records that nothing of the file could be imported. */
  refuse(name: string, problem: ImportProblem): void {
    this.#refused++;
    if (this.#problems.length < mostNamed) this.#problems.push(problemMessage(name, problem));
  }

  /** The result, in sentences. */
  sentence(): string {
    const unnamed = this.#refused - this.#problems.length;
    const sentences = [
      addedMessage(this.#added),
      ...(this.#extended === 0
        ? []
        : [t("Conversations with new messages: {0}.", formatNumber(this.#extended))]),
      ...(this.#present === 0 ? [] : [t("Already imported: {0}.", formatNumber(this.#present))]),
      ...(this.#leftOut === 0
        ? []
        : [
            t(
              "Records, images, and files that couldn't be read or aren't in the export: {0}.",
              formatNumber(this.#leftOut),
            ),
          ]),
      ...this.#problems,
      ...(unnamed === 0 ? [] : [t("Unsupported files: {0}.", formatNumber(unnamed))]),
    ];
    return sentences.join(" ");
  }

  /** The conversation counts as deleted in between. */
  *#addSlices({ messages, isPinned, tags, titleSource, ...fields }: Conversation): Generator<number> {
    const store = this.#store;
    store.save({ type: "conversation", fields });
    let isHidden = false;
    try {
      for (const message of messages) {
        store.save({ type: "message", conversationId: fields.id, message });
        this.#unwritten += messageLength(message) + messageCost;
        if (this.#unwritten < sliceLength) continue;
        if (!isHidden) store.save({ type: "delete", id: fields.id });
        isHidden = true;
        this.#write();
        yield this.#added;
      }
      if (isPinned === true) store.save({ type: "pin", id: fields.id, isPinned: true });
      if (tags !== undefined) store.save({ type: "tags", id: fields.id, tags });
      if (titleSource !== undefined)
        store.save({ type: "title", id: fields.id, title: fields.title, source: titleSource });
      if (isHidden) store.save({ type: "restore", id: fields.id });
      isHidden = false;
      this.#known.add(fields.id);
      this.#added++;
      this.#changed.push(fields.id);
    } finally {
      if (isHidden) store.save({ type: "purge", id: fields.id });
    }
  }

  /** What is stored wins, except over a response that was only completed in the other place. */
  #extend(conversation: Conversation): void {
    const stored = this.#store.load(conversation.id);
    const missing = stored === undefined ? [] : missingMessages(conversation, stored);
    const tags = parseTags([...(stored?.tags ?? []), ...(conversation.tags ?? [])]);
    if (tags.length > (stored?.tags ?? []).length)
      this.#store.save({ type: "tags", id: conversation.id, tags });
    if (stored === undefined || missing.length === 0) {
      this.#present++;
      return;
    }
    this.#extended++;
    this.#changed.push(conversation.id);
    const updatedAt = Math.max(stored.updatedAt, conversation.updatedAt);
    this.#store.save({ type: "conversation", fields: { ...stored, updatedAt } });
    for (const message of missing)
      this.#store.save({ type: "message", conversationId: conversation.id, message });
  }

  #write(): void {
    this.#unwritten = 0;
    this.#store.flush();
  }
}

/** The messages that would be lost if only the stored conversation was kept, parents before their children. */
function missingMessages(
  { messages }: Pick<Conversation, "messages">,
  stored: Pick<Conversation, "messages">,
): readonly Message[] {
  const known = new Map(stored.messages.map((message) => [message.id, message]));
  return messages.filter(({ id, status }) => {
    const same = known.get(id);
    return same === undefined || (status === "complete" && same.status !== "complete");
  });
}

function addedMessage(count: number): string {
  if (count === 0) return t("No conversation was imported.");
  return count === 1
    ? t("One conversation was imported.")
    : t("{0} conversations were imported.", formatNumber(count));
}

/**
 * Why nothing of a file was imported.
 * - `unreadable` it doesn't exist, or can't be read.
 * - `notText` neither UTF-8 nor UTF-16.
 * - `notJson` truncated, or not JSON.
 * - `archive` a damaged archive, or one without conversations.
 * - `unknown` JSON, but not in a known format.
 */
export type ImportProblem =
  "unreadable" | "empty" | "tooLarge" | "notText" | "notJson" | "archive" | "unknown";

/** @param file The file name without its folder. */
function problemMessage(file: string, problem: ImportProblem): string {
  const name = titleForMessages(file);
  switch (problem) {
    case "unreadable":
      return t("“{0}” can't be read.", name);
    case "empty":
      return t("“{0}” is empty.", name);
    case "tooLarge":
      return t("“{0}” is too large to import at once.", name);
    case "notText":
      return t("“{0}” isn't UTF-8 or UTF-16 text.", name);
    case "notJson":
      return t("“{0}” isn't JSON, or is truncated.", name);
    case "archive":
      return t("“{0}” is damaged or contains no conversations in a supported format.", name);
    case "unknown":
      return t("“{0}” contains no conversations in a supported format.", name);
  }
}
