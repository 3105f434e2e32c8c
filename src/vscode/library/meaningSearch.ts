import * as vscode from "vscode";
import { distinctFindings, maskFindings } from "../../core/compose/send/secretFinding.ts";
import type { SecretFinding } from "../../core/compose/send/secretFinding.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { ConversationStore } from "../../core/conversation/conversationStore.ts";
import { ServiceError, logFailure } from "../../core/kernel/errors.ts";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import type { Log } from "../../core/kernel/log.ts";
import { BestMatches, quantize, similarity } from "../../core/library/meaning/passages.ts";
import type { Match, Vector } from "../../core/library/meaning/passages.ts";
import { sqliteTrouble } from "../../storage/database/sqliteTrouble.ts";
import { loadSqlite } from "../../storage/database/sqlite.ts";
import { MeaningIndex } from "../../storage/search/meaningIndex.ts";
import type { Profiles } from "../account/profiles/profiles.ts";
import { chatSettings } from "../conversation/chatSettings.ts";
import type { Clients } from "../shell/clientFactory.ts";
import { createPause } from "../shell/pause.ts";
import { readSetting } from "../shell/settings.ts";
import { MeaningIndexer } from "./meaningIndexer.ts";

/** What the search by meaning needs. Secrets are masked before a text is sent to the embedding model. */
export interface MeaningSearchContext {
  readonly storageUri: vscode.Uri;
  readonly globalState: vscode.Memento;
  readonly profiles: Profiles;
  readonly clients: Clients;
  readonly log: Log;
  store(): Promise<ConversationStore>;
  findSecrets(text: string): Promise<readonly SecretFinding[]>;
}

/** The service and the model that the user has chosen. */
export interface MeaningSource {
  readonly profile: Profile;
  readonly model: string;
}

/** The setting with the profile and the model of the search by meaning; anything but an object turns it off. */
export const meaningSetting = "chat.searchByMeaning";
const consentKey = "inferenceGateway.searchByMeaning";

/** Milliseconds between two checks for changes. */
const lookMs = 15_000;
/** Milliseconds until the next attempt after a failure, which doubles up to the last value. */
const [firstRetryMs, lastRetryMs] = [60_000, 1_800_000];
const shownMatches = 8;
/** How often opening the file is attempted while another window is writing. */
const mostTries = 20;
/** Maximum UTF-16 units of the search text. */
const longestQuery = 1_000;

/** What the user has chosen in the settings; undefined if searching by meaning is off. */
export function chosenSource(profiles: Profiles): MeaningSource | undefined {
  const setting = readSetting(meaningSetting);
  const [name, model] = isRecord(setting)
    ? [stringField(setting, "profile"), stringField(setting, "model")?.trim()]
    : [];
  const profile = name === undefined ? undefined : profiles.find(name);
  if (profile?.inferenceBaseUrl === undefined || model === undefined || model === "") return undefined;
  return { profile, model };
}

/** Identifies where the texts are sent: a different address needs new consent, and a different model a new index. */
function identify({ profile, model }: MeaningSource): string {
  return JSON.stringify([profile.inferenceBaseUrl, model]);
}

/**
 * Finds conversations by meaning. While it is on, the texts of conversations are sent to the embedding model that the
 * user has chosen and agreed to, in the background and by one window at a time.
 */
export class MeaningSearch implements vscode.Disposable {
  readonly #context: MeaningSearchContext;
  readonly #index: MeaningIndex;
  readonly #indexer: MeaningIndexer;
  readonly #queries = new Map<string, Vector>();
  #source: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #abort = new AbortController();
  #retryMs = firstRetryMs;
  #problem: string | undefined;
  #isBusy = false;

  constructor(context: MeaningSearchContext) {
    this.#context = context;
    this.#index = new MeaningIndex(
      loadSqlite(),
      vscode.Uri.joinPath(context.storageUri, "meaning.db").fsPath,
    );
    this.#indexer = new MeaningIndexer(this.#index, context);
  }

  /** The service that is used now; undefined unless the user has turned the search on and agreed to it. */
  get source(): MeaningSource | undefined {
    const source = chosenSource(this.#context.profiles);
    if (source === undefined) return undefined;
    return this.#context.globalState.get<unknown>(consentKey) === identify(source) ? source : undefined;
  }

  /** Called when the user has agreed that texts are sent there. */
  async agree(source: MeaningSource): Promise<void> {
    // Vectors of a different model that are still being requested no longer belong to the index.
    this.#stop();
    await this.#context.globalState.update(consentKey, identify(source));
    this.start();
  }

  /** Indexes in the background from now on if the search is on. If it is off in the settings, its index is deleted. */
  start(): void {
    if (this.source !== undefined) return this.#schedule(0);
    this.#stop();
    if (!isRecord(readSetting(meaningSetting))) this.#index.delete();
  }

  /** Ends requests in progress and deletes the index. */
  async turnOff(): Promise<void> {
    this.#stop();
    await this.#context.globalState.update(consentKey, undefined);
    this.#index.delete();
  }

  /** The embedding models that the service lists; empty if it lists none, or no models at all. */
  async listModels(profile: Profile, signal: AbortSignal): Promise<readonly string[]> {
    const client = await this.#context.clients.inference(profile);
    const models = await client.listModels(signal, { use: "embeddings" }).catch(() => []);
    return models.map(({ id }) => id);
  }

  /** How much is indexed, and why not all of it. */
  async progress(): Promise<{ readonly done: number; readonly total: number; readonly problem?: string }> {
    const { source } = this;
    const list = (await this.#context.store()).list();
    if (source === undefined) return { done: 0, total: list.length };
    await this.#openFor(source);
    const states = this.#index.states();
    const done = list.filter(({ id }) => (states.get(id) ?? "") !== "").length;
    return { done, total: list.length, ...(this.#problem === undefined ? {} : { problem: this.#problem }) };
  }

  /**
   * The passages that are closest in meaning, at most one for each conversation. Rejects with a ServiceError, or with
   * the signal's reason.
   */
  async find(query: string, signal: AbortSignal): Promise<readonly Match[]> {
    const { source } = this;
    if (source === undefined) return [];
    const vector = await this.#vectorOf(query.slice(0, longestQuery), source, signal);
    await this.#openFor(source);
    const pause = createPause();
    const best = new BestMatches(shownMatches);
    for (const passages of this.#index.scan()) {
      signal.throwIfAborted();
      for (const { vector: other, ...found } of passages)
        best.add({ ...found, score: similarity(vector, other) });
      await pause();
    }
    return best.matches;
  }

  dispose(): void {
    this.#stop();
    this.#index.close();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#queries.clear();
    this.#indexer.forget();
    this.#problem = undefined;
  }

  async #vectorOf(query: string, source: MeaningSource, signal: AbortSignal): Promise<Vector> {
    const key = `${identify(source)} ${query}`;
    const known = this.#queries.get(key);
    if (known !== undefined) return known;
    const [vector] = await this.#embed([query], source, signal);
    if (vector === undefined) return { values: new Int8Array(), norm: 0 };
    if (this.#queries.size > 50) this.#queries.clear();
    this.#queries.set(key, vector);
    return vector;
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.look(), ms);
    this.#timer.unref();
  }

  /** Indexes what has changed, unless another window does. Called regularly. */
  async look(): Promise<void> {
    const { source } = this;
    if (source === undefined) return this.start();
    if (this.#isBusy) return this.#schedule(lookMs);
    this.#isBusy = true;
    const { signal } = this.#abort;
    try {
      await this.#openFor(source);
      await this.#indexer.look((texts) => this.#embed(texts, source, signal), signal);
      this.#retryMs = firstRetryMs;
      this.#problem = undefined;
      if (!signal.aborted) this.#schedule(lookMs);
    } catch (error) {
      if (signal.aborted) return;
      logFailure(this.#context.log, error);
      this.#problem = error instanceof ServiceError ? error.message : undefined;
      this.#schedule(this.#retryMs);
      this.#retryMs = Math.min(2 * this.#retryMs, lastRetryMs);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Secrets are masked without asking, because this happens in the background. */
  async #embed(
    texts: readonly string[],
    { profile, model }: MeaningSource,
    signal: AbortSignal,
  ): Promise<readonly (Vector | undefined)[]> {
    const masked: string[] = [];
    for (const text of texts) {
      const findings =
        chatSettings.secretGuard() === "off" ? [] : distinctFindings(await this.#context.findSecrets(text));
      masked.push(maskFindings(text, findings));
    }
    signal.throwIfAborted();
    return (await this.#context.clients.embed(profile, model, masked, signal)).map(quantize);
  }

  /** The index is opened again if another window has deleted it, or if another model is used. */
  async #openFor(source: MeaningSource): Promise<void> {
    const name = identify(source);
    for (let tries = 1; this.#source !== name || this.#index.isGone; tries++) {
      try {
        this.#index.open(name);
        this.#source = name;
        this.#indexer.startOver();
      } catch (error) {
        if (tries === mostTries || sqliteTrouble(error) !== "busy") throw error;
        await new Promise((resolve) => setTimeout(resolve, 50).unref());
      }
    }
  }
}
