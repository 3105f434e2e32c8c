import type { Modality, Model } from "./completion.ts";
import { isRecord } from "../kernel/json.ts";

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

export function isModality(value: string): value is Modality {
  return Object.hasOwn(modalityFacts, value);
}

export const allModalities: readonly Modality[] = Object.keys(modalityFacts).filter(isModality);

/** Whether the model supports it; undefined if its server doesn't say. */
export function supports(model: Partial<Model>, modality: Modality): boolean | undefined {
  return model[modalityFacts[modality].field];
}

/** The members that say what a model supports, as far as `read` knows it. */
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
