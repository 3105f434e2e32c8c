import { t } from "@vscode/l10n";
import type { Model } from "./completion.ts";
import { ServiceError } from "../kernel/errors.ts";
import type { ErrorFacts } from "../kernel/errors.ts";
import { Listeners } from "../kernel/listeners.ts";

/** The models of the active profile as far as they are known. */
export type CatalogState =
  | { readonly state: "idle" | "loading"; readonly models: readonly Model[] }
  | { readonly state: "ready"; readonly models: readonly Model[] }
  | { readonly state: "failed"; readonly models: readonly Model[]; readonly error: ErrorFacts };

/** A request for the list; `stop` closes its socket. */
export interface ModelListRun {
  readonly models: Promise<readonly Model[]>;
  stop(): void;
}

/**
 * Holds the list of models (`GET /v1/models`) of the active profile: requested once, kept if a refresh fails, dropped
 * when the profile or its key changes. Responses that belong to an earlier profile are discarded.
 */
export class ModelCatalog {
  readonly #listModels: () => ModelListRun;
  readonly #listeners = new Listeners<CatalogState>();
  #state: CatalogState = { state: "idle", models: [] };
  #generation = 0;
  #pending: Promise<void> | undefined;
  #run: ModelListRun | undefined;
  #isOver = false;

  constructor(listModels: () => ModelListRun) {
    this.#listModels = listModels;
  }

  get current(): CatalogState {
    return this.#state;
  }

  onDidChange(listener: (state: CatalogState) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** The profile or its key has changed, so the known list is outdated. */
  reset(): void {
    this.#generation++;
    this.#run?.stop();
    this.#run = undefined;
    this.#pending = undefined;
    this.#set({ state: "idle", models: [] });
  }

  /**
   * Loads the list of the active profile unless it is already loaded. If the profile changes meanwhile, returns the
   * list of the new one.
   */
  async ensure(): Promise<CatalogState> {
    if (this.#state.state === "ready") return this.#state;
    do await this.refresh();
    while (!this.#isOver && (this.#state.state === "idle" || this.#state.state === "loading"));
    return this.#state;
  }

  /** Stops all requests. */
  dispose(): void {
    this.#isOver = true;
    this.reset();
  }

  /** Reloads the list. Calls made while a request is in progress share it. */
  refresh(): Promise<void> {
    this.#pending ??= this.#load(this.#generation);
    return this.#pending;
  }

  async #load(generation: number): Promise<void> {
    const { models } = this.#state;
    this.#set({ state: "loading", models });
    this.#run = this.#listModels();
    const next = await this.#run.models.then(
      (list): CatalogState => ({ state: "ready", models: list }),
      (error: unknown): CatalogState => ({ state: "failed", models, error: errorFacts(error) }),
    );
    if (generation !== this.#generation) return;
    this.#run = undefined;
    this.#pending = undefined;
    this.#set(next);
  }

  #set(state: CatalogState): void {
    this.#state = state;
    this.#listeners.emit(state);
  }
}

function errorFacts(error: unknown): ErrorFacts {
  if (error instanceof ServiceError) return error.facts;
  return {
    reason: "malformed",
    message: t("The list of models couldn't be read. See the log for details."),
  };
}
