import { t } from "@vscode/l10n";
import { ServiceError } from "../kernel/errors.ts";
import type { ErrorFacts } from "../kernel/errors.ts";
import { isRecord } from "../kernel/json.ts";
import { Listeners } from "../kernel/listeners.ts";
import type { LearnedAdaptation } from "./adaptations.ts";
import type { Modality, Model } from "./completion.ts";

/** A member of a model that says what it supports. */
type ModalityField = "supportsImages" | "supportsAudio";

interface ModalityFacts {
  /** The member of a model that says whether it supports this. */
  readonly field: ModalityField;
  /** The name in the setting `inferenceGateway.models.capabilities`. */
  readonly setting: string;
  /** What servers call it: a flag of the record, and a word among its inputs or capabilities. */
  readonly flag: string;
  readonly word: RegExp;
}

/** What a model must support for each kind of part besides text, and which fields and setting name it. */
export const modalityFacts = {
  image: {
    field: "supportsImages",
    setting: "vision",
    flag: "supports_vision",
    word: /^(?:image|images|vision|image_input|supports_vision|multimodal)$/,
  },
  audio: {
    field: "supportsAudio",
    setting: "audio",
    flag: "supports_audio_input",
    word: /^(?:audio|speech|input_audio|audio_input|supports_audio)$/,
  },
} as const satisfies Readonly<Record<Modality, ModalityFacts>>;

function isModality(value: string): value is Modality {
  return Object.hasOwn(modalityFacts, value);
}

/** Every modality besides text, in the order in which they are listed. */
export const allModalities: readonly Modality[] = Object.keys(modalityFacts).filter(isModality);

/** Whether the model supports it; undefined if its server doesn't say. */
export function supports(model: Partial<Model>, modality: Modality): boolean | undefined {
  return model[modalityFacts[modality].field];
}

/** The members that say what a model supports, for everything that `read` knows. */
export function readCapabilities(
  read: (modality: Modality) => boolean | undefined,
): Pick<Model, ModalityField> {
  return Object.fromEntries(
    allModalities.flatMap((modality) => {
      const isSupported = read(modality);
      return isSupported === undefined ? [] : [[modalityFacts[modality].field, isSupported]];
    }),
  );
}

/** The model with what it has been found not to read. */
export function withLearnedInputs(model: Model, learned: readonly LearnedAdaptation[]): Model {
  const isRejected = (modality: Modality): boolean =>
    learned.some(({ adaptation }) => adaptation === `input:${modality}`);
  return {
    ...model,
    ...readCapabilities((modality) => (isRejected(modality) ? false : supports(model, modality))),
  };
}

/** What the user specifies about a model that its server doesn't report, or reports incorrectly. */
export type CapabilityTable = Readonly<Record<string, Partial<Omit<Model, "id">>>>;

/** Parses the setting `inferenceGateway.models.capabilities`; invalid entries are ignored. */
export function parseCapabilityTable(value: unknown): CapabilityTable {
  if (!isRecord(value)) return {};
  const entries = Object.entries(value).flatMap(([id, entry]) => {
    if (!isRecord(entry)) return [];
    const { contextLength, maxOutputTokens, tools, reasoning } = entry;
    const capabilities = readCapabilities((modality) => {
      const isSupported = entry[modalityFacts[modality].setting];
      return typeof isSupported === "boolean" ? isSupported : undefined;
    });
    const facts = {
      ...capabilities,
      ...(typeof tools === "boolean" ? { supportsTools: tools } : {}),
      ...(typeof reasoning === "boolean" ? { supportsReasoning: reasoning } : {}),
      ...(isTokenCount(contextLength) ? { contextLength } : {}),
      ...(isTokenCount(maxOutputTokens) ? { maxOutputTokens } : {}),
    };
    return [[id, facts] as const];
  });
  return Object.fromEntries(entries);
}

function isTokenCount(value: unknown): value is number {
  return typeof value === "number" && value > 0;
}

/** The models with the user's table overriding what the server reported. */
export function applyCapabilities(models: readonly Model[], table: CapabilityTable): readonly Model[] {
  return models.map((model) => ({ ...model, ...table[model.id] }));
}

/** The models of the active profile, if they are known. */
export type CatalogState =
  | { readonly state: "idle" | "loading"; readonly models: readonly Model[] }
  | { readonly state: "ready"; readonly models: readonly Model[] }
  | { readonly state: "failed"; readonly models: readonly Model[]; readonly error: ErrorFacts };

/** A request for the list; `stop` closes its socket. */
interface ModelListRun {
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

  /** Returns a function that unsubscribes. */
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
   * Loads the list of the active profile unless it is already loaded. If the profile changes in the meantime, returns
   * the list of the new one.
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
