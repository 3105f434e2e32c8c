import { randomUUID } from "node:crypto";
import type { ConversationSummary } from "../../core/conversation/conversation.ts";
import type { ConversationStore } from "../../core/conversation/conversationStore.ts";
import { ServiceError, logFailure } from "../../core/kernel/errors.ts";
import type { ErrorReason } from "../../core/kernel/errors.ts";
import type { Log } from "../../core/kernel/log.ts";
import { batches, passagesOf } from "../../core/library/meaning/passages.ts";
import type { Vector } from "../../core/library/meaning/passages.ts";
import type { MeaningIndex } from "../../storage/search/meaningIndex.ts";
import { createPause } from "../shell/pause.ts";

/** Milliseconds between two requests. */
const requestPauseMs = 400;
/** Conversations that changed within this many milliseconds are checked each time. */
const recentMs = 86_400_000;
/** Reasons for which a service rejects a particular text rather than every request. */
const contentReasons: ReadonlySet<ErrorReason> = new Set(["badRequest", "contextLength", "contentFilter"]);
/** If this many conversations are rejected and none is accepted, their texts aren't the reason. */
const mostRefused = 20;
/**
 * Maximum number of passages in the index: about 80 MB with typical models. The latest conversations are indexed first.
 */
const mostIndexed = 50_000;

/** Sends texts to the model. Resolves to a vector for each, or to undefined for one without a direction. */
type Embed = (texts: readonly string[]) => Promise<readonly (Vector | undefined)[]>;

interface MeaningIndexerContext {
  readonly log: Log;
  store(): Promise<ConversationStore>;
}

/** Keeps the index up to date with the conversations. It remembers which ones it doesn't have to check again. */
export class MeaningIndexer {
  readonly #index: MeaningIndex;
  readonly #context: MeaningIndexerContext;
  readonly #owner = randomUUID();
  /**
   * The conversations that are up to date, as they were listed then. An entry of the list is replaced when it changes.
   */
  readonly #seen = new Map<string, ConversationSummary>();
  #isFull = false;
  /** Whether conversations are waiting until the index has room for them. */
  #hasLeftOut = false;
  /** Conversations with a text that the model rejected. */
  readonly #refused = new Set<string>();

  constructor(index: MeaningIndex, context: MeaningIndexerContext) {
    this.#index = index;
    this.#context = context;
  }

  /** All conversations are checked again, because the index may be empty. */
  startOver(): void {
    this.#seen.clear();
  }

  /** All conversations are checked again, including those with a text that the model rejected. */
  forget(): void {
    this.#seen.clear();
    this.#refused.clear();
  }

  /**
   * Brings the index up to date, the latest conversations first, unless another window does. Rejects with a
   * ServiceError if the service can't be used.
   */
  async look(embed: Embed, signal: AbortSignal): Promise<void> {
    if (!this.#index.claim(this.#owner, Date.now())) return;
    const store = await this.#context.store();
    // The end of a response changes nothing in the list.
    const isRecent = ({ updatedAt }: ConversationSummary): boolean => Date.now() - updatedAt < recentMs;
    const list = store.list();
    const states = this.#index.states();
    const listed = new Set(list.map(({ id }) => id));
    const gone = [...states.keys()].filter((id) => !listed.has(id));
    this.#index.remove(gone);
    // There is room again for those that were left out.
    if (gone.length > 0 && this.#hasLeftOut) {
      this.#seen.clear();
      this.#hasLeftOut = false;
    }
    this.#isFull = false;
    const candidates = list.filter((entry) => this.#seen.get(entry.id) !== entry || isRecent(entry));
    const pause = createPause();
    for (const entry of candidates) {
      const { id } = entry;
      await pause();
      if (signal.aborted) return;
      this.#seen.set(id, entry);
      if (this.#refused.has(id)) continue;
      const { revision, ids, open } = store.changeMark(id);
      const state = `${revision} ${ids.size} ${open.length}`;
      if (states.get(id) === state) continue;
      try {
        await this.#indexConversation(id, state, embed, signal);
      } catch (error) {
        this.#seen.delete(id);
        // Texts that the model doesn't accept must not prevent the others from being found.
        if (!(error instanceof ServiceError) || !contentReasons.has(error.reason)) throw error;
        this.#refused.add(id);
        if (this.#refused.size >= mostRefused && this.#index.count === 0) {
          this.#refused.clear();
          throw error;
        }
        logFailure(this.#context.log, error);
        await pauseRequests();
      }
      if (this.#isFull) break;
    }
    // The others wait until there is room.
    if (this.#isFull) {
      this.#hasLeftOut = true;
      for (const entry of list) this.#seen.set(entry.id, entry);
    }
    for (const id of this.#seen.keys()) if (!listed.has(id)) this.#seen.delete(id);
  }

  async #indexConversation(id: string, state: string, embed: Embed, signal: AbortSignal): Promise<void> {
    const conversation = await (await this.#context.store()).loadInSlices(id, createPause());
    if (conversation === undefined) return;
    const passages = [...passagesOf(conversation)];
    const known = this.#index.hashes(id);
    const missing = passages.filter(
      ({ messageId, part, hash }) => known.get(`${messageId} ${part}`) !== hash,
    );
    for (const batch of batches(missing)) {
      if (this.#index.count + batch.length > mostIndexed) {
        this.#isFull = true;
        return;
      }
      const vectors = await embed(batch.map(({ text }) => text));
      if (signal.aborted || this.#index.isGone) return;
      const found = batch.flatMap((passage, index) => {
        const vector = vectors[index];
        return vector === undefined ? [] : [{ ...passage, vector }];
      });
      this.#index.put(id, found);
      this.#index.claim(this.#owner, Date.now());
      await pauseRequests();
    }
    if (!signal.aborted && !this.#index.isGone) this.#index.finish(id, state, passages);
  }
}

function pauseRequests(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, requestPauseMs).unref());
}
