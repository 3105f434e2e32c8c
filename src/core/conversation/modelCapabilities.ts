import type { Model } from "./completion.ts";
import { isRecord } from "../kernel/json.ts";

/** What the user says of a model that its server doesn't say, or says wrongly. */
export type CapabilityTable = Readonly<Record<string, Partial<Omit<Model, "id">>>>;

/** Reads the setting `inferenceGateway.models.capabilities`; what can't be understood is left out. */
export function parseCapabilityTable(value: unknown): CapabilityTable {
  if (!isRecord(value)) return {};
  const entries = Object.entries(value).flatMap(([id, entry]) => {
    if (!isRecord(entry)) return [];
    const { vision, audio, contextLength } = entry;
    return [
      [
        id,
        {
          ...(typeof vision === "boolean" ? { supportsImages: vision } : {}),
          ...(typeof audio === "boolean" ? { supportsAudio: audio } : {}),
          ...(typeof contextLength === "number" && contextLength > 0 ? { contextLength } : {}),
        },
      ] as const,
    ];
  });
  return Object.fromEntries(entries);
}

/** The models with the user's table laid over what the server said. */
export function applyCapabilities(models: readonly Model[], table: CapabilityTable): readonly Model[] {
  return models.map((model) => ({ ...model, ...table[model.id] }));
}
