import type { Model } from "./completion.ts";
import { isRecord } from "../kernel/json.ts";

/** What the user specifies about a model that its server doesn't report, or reports incorrectly. */
export type CapabilityTable = Readonly<Record<string, Partial<Omit<Model, "id">>>>;

/** Parses the setting `inferenceGateway.models.capabilities`; invalid entries are ignored. */
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

/** The models with the user's table overriding what the server reported. */
export function applyCapabilities(models: readonly Model[], table: CapabilityTable): readonly Model[] {
  return models.map((model) => ({ ...model, ...table[model.id] }));
}
