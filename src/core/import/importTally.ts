import { t } from "@vscode/l10n";
import type { Conversation } from "../conversation.ts";
import type { ConversationStore } from "../conversationStore.ts";
import type { Imported } from "./imported.ts";

/** Puts what was imported into the store, nothing twice, and counts. */
export class ImportTally {
  readonly #store: ConversationStore;
  readonly #known: Set<string>;
  #added = 0;
  #present = 0;
  #leftOut = 0;
  #unknownFiles = 0;

  constructor(store: ConversationStore) {
    this.#store = store;
    this.#known = new Set(store.list().map(({ id }) => id));
  }

  /** @param imported Undefined where the file was none of the known kinds. */
  take(imported: Imported | undefined): void {
    if (imported === undefined) {
      this.#unknownFiles++;
      return;
    }
    this.#leftOut += imported.leftOut;
    for (const conversation of imported.conversations) this.#add(conversation);
    this.#store.flush();
  }

  /** How it went, in sentences. */
  sentence(): string {
    const sentences = [
      this.#added === 1
        ? t("One conversation was imported.")
        : t("{0} conversations were imported.", this.#added),
      ...(this.#present === 0 ? [] : [t("Already here: {0}.", this.#present)]),
      ...(this.#leftOut === 0 ? [] : [t("Records and pictures that could not be read: {0}.", this.#leftOut)]),
      ...(this.#unknownFiles === 0 ? [] : [t("Files of an unknown kind: {0}.", this.#unknownFiles)]),
    ];
    return sentences.join(" ");
  }

  #add({ messages, isPinned, titleSource, ...fields }: Conversation): void {
    if (this.#known.has(fields.id)) {
      this.#present++;
      return;
    }
    this.#known.add(fields.id);
    this.#added++;
    this.#store.saveConversation(fields);
    for (const message of messages) this.#store.saveMessage(fields.id, message);
    if (isPinned === true) this.#store.pinConversation(fields.id, true);
    if (titleSource !== undefined) this.#store.renameConversation(fields.id, fields.title, titleSource);
  }
}
