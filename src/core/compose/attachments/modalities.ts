import { t } from "@vscode/l10n";
import type { ContentPart, Model, Modality, Role } from "../../conversation/completion.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";

/** The field of a model that says whether it supports a modality. */
const capabilities = {
  image: "supportsImages",
  audio: "supportsAudio",
} as const satisfies Readonly<Record<Modality, keyof Model>>;

export function isModality(value: string): value is Modality {
  return Object.hasOwn(capabilities, value);
}

/** A warning that a model doesn't support the attachments, or isn't known to. */
export interface ModalityWarning {
  /** `no`: the model would reject it. `unknown`: the server doesn't say, so it may well work. */
  readonly certainty: "no" | "unknown";
  readonly modalities: readonly Modality[];
  readonly message: string;
  /** Whether another model is known to support it. */
  readonly hasAlternative: boolean;
}

/** The modalities that these parts require. */
export function requiredModalities(parts: readonly ContentPart[]): readonly Modality[] {
  const types = new Set<string>(parts.map(({ type }) => type));
  return Object.keys(capabilities)
    .filter(isModality)
    .filter((name) => types.has(name));
}

/**
 * The same for earlier messages. Images from tools are ignored, because they are omitted for a model that doesn't
 * support them.
 */
export function modalitiesOf(
  messages: readonly { readonly role: Role; readonly attachments: readonly ContentPart[] }[],
): readonly Modality[] {
  return requiredModalities(
    messages.flatMap(({ role, attachments }) => (role === "tool" ? [] : attachments)),
  );
}

/** Whether the model supports all of these modalities; undefined if its server doesn't say. */
export function supportsModalities(model: Model, modalities: readonly Modality[]): boolean | undefined {
  const values = modalities.map((modality) => model[capabilities[modality]]);
  if (values.includes(false)) return false;
  return values.includes(undefined) ? undefined : true;
}

/**
 * The warning to show before parts that need the `own` modalities are sent to the model with this ID, after messages
 * that needed the `earlier` ones, which are sent as well. Undefined if there is no need for a warning.
 */
export function findModalityWarning(
  own: readonly Modality[],
  selected: string | undefined,
  models: readonly Model[],
  earlier: readonly Modality[] = [],
): ModalityWarning | undefined {
  const modalities = [...new Set([...own, ...earlier])];
  if (modalities.length === 0 || selected === undefined) return undefined;
  const model = models.find(({ id }) => id === selected) ?? { id: selected };
  const name = sanitizeLabel(model.name ?? model.id, 80);
  const refused = modalities.filter((modality) => supportsModalities(model, [modality]) === false);
  const doubted = own.filter((modality) => supportsModalities(model, [modality]) === undefined);
  if (refused.length === 0 && doubted.length === 0) return undefined;
  const hasAlternative = models.some(
    (other) => other.id !== selected && supportsModalities(other, modalities) === true,
  );
  if (refused.length === 0)
    return { certainty: "unknown", modalities, message: doubt(name, doubted), hasAlternative };
  const refusedOwn = refused.filter((modality) => own.includes(modality));
  const message = refusedOwn.length > 0 ? refusal(name, refusedOwn) : refusalOfEarlier(name, refused);
  return { certainty: "no", modalities, message, hasAlternative };
}

/** The label of the button that selects a different model. */
export function selectModelLabel(hasAlternative: boolean): string {
  return hasAlternative ? t("Select a Compatible Model") : t("Select Another Model");
}

/** The models that support these modalities, those for which that is unknown, and those that don't support them. */
export function groupBySenses(
  models: readonly Model[],
  modalities: readonly Modality[],
): { readonly can: readonly Model[]; readonly unknown: readonly Model[]; readonly cannot: readonly Model[] } {
  const having = (isSupported: boolean | undefined): readonly Model[] =>
    models.filter((model) => supportsModalities(model, modalities) === isSupported);
  return { can: having(true), unknown: having(undefined), cannot: having(false) };
}

function refusal(name: string, lacking: readonly Modality[]): string {
  if (lacking.length > 1) return t("{0} doesn't support image or audio input.", name);
  return lacking[0] === "image"
    ? t("{0} doesn't support image input.", name)
    : t("{0} doesn't support audio input.", name);
}

function refusalOfEarlier(name: string, lacking: readonly Modality[]): string {
  if (lacking.length > 1) {
    return t("{0} doesn't support the images and audio in this conversation.", name);
  }
  return lacking[0] === "image"
    ? t("{0} doesn't support the images in this conversation.", name)
    : t("{0} doesn't support the audio in this conversation.", name);
}

function doubt(name: string, lacking: readonly Modality[]): string {
  if (lacking.length > 1) return t("{0} may not support image or audio input.", name);
  return lacking[0] === "image"
    ? t("{0} may not support image input.", name)
    : t("{0} may not support audio input.", name);
}
