import { t } from "@vscode/l10n";
import type { ContentPart, Model, Modality, Role } from "../../conversation/completion.ts";
import { allModalities, supports } from "../../conversation/modelCatalog.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";

interface ModalityTexts {
  /** Of a model: “image input”. */
  readonly label: () => string;
  readonly refused: (model: string) => string;
  readonly refusedEarlier: (model: string) => string;
  readonly doubted: (model: string) => string;
}

const texts: Readonly<Record<Modality, ModalityTexts>> = {
  image: {
    label: () => t("image input"),
    refused: (model) => t("{0} doesn't support image input.", model),
    refusedEarlier: (model) => t("{0} doesn't support the images in this conversation.", model),
    doubted: (model) => t("{0} may not support image input.", model),
  },
  audio: {
    label: () => t("audio input"),
    refused: (model) => t("{0} doesn't support audio input.", model),
    refusedEarlier: (model) => t("{0} doesn't support the audio in this conversation.", model),
    doubted: (model) => t("{0} may not support audio input.", model),
  },
};

/** One sentence for images and audio together; others have a sentence each. */
const together: Omit<ModalityTexts, "label"> = {
  refused: (model) => t("{0} doesn't support image or audio input.", model),
  refusedEarlier: (model) => t("{0} doesn't support the images and audio in this conversation.", model),
  doubted: (model) => t("{0} may not support image or audio input.", model),
};

function sentence(form: keyof typeof together, model: string, modalities: readonly Modality[]): string {
  if ([...modalities].toSorted().join() === "audio,image") return together[form](model);
  return modalities.map((modality) => texts[modality][form](model)).join(" ");
}

/** What the model is known to support besides text, each in a few words. */
export function describeModalities(model: Model): readonly string[] {
  return allModalities
    .filter((modality) => supports(model, modality) === true)
    .map((modality) => texts[modality].label());
}

/** A warning that a model doesn't support the attachments, or isn't known to. */
export interface ModalityWarning {
  /**
   * `no`: the model would reject it. `earlier`: so it would parts of earlier messages, which are left out. `unknown`: the
   * server doesn't say, so it may well work.
   */
  readonly certainty: "no" | "earlier" | "unknown";
  readonly modalities: readonly Modality[];
  readonly message: string;
  /** Whether another model is known to support it. */
  readonly hasAlternative: boolean;
}

/** The modalities that these parts require. */
export function requiredModalities(parts: readonly ContentPart[]): readonly Modality[] {
  return allModalities.filter((modality) => parts.some(({ type }) => type === modality));
}

/**
 * The modalities that earlier messages require. Images from tools are ignored, because they are omitted for a model
 * that doesn't support them.
 */
export function modalitiesOf(
  messages: readonly { readonly role: Role; readonly attachments: readonly ContentPart[] }[],
): readonly Modality[] {
  return requiredModalities(
    messages.flatMap(({ role, attachments }) => (role === "tool" ? [] : attachments)),
  );
}

/** Whether the model supports all of these modalities; undefined if its server doesn't say. */
function supportsModalities(model: Model, modalities: readonly Modality[]): boolean | undefined {
  const values = modalities.map((modality) => supports(model, modality));
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
    return { certainty: "unknown", modalities, message: sentence("doubted", name, doubted), hasAlternative };
  const refusedOwn = refused.filter((modality) => own.includes(modality));
  const message =
    refusedOwn.length > 0 ? sentence("refused", name, refusedOwn) : sentence("refusedEarlier", name, refused);
  const certainty = refusedOwn.length > 0 ? "no" : "earlier";
  return { certainty, modalities, message, hasAlternative };
}

/** The label of the button that selects a different model. */
export function selectModelLabel(hasAlternative: boolean): string {
  return hasAlternative ? t("Select a Compatible Model") : t("Select Another Model");
}

/** The models that support these modalities, those for which that is unknown, and those that don't support them. */
export function groupByModalities(
  models: readonly Model[],
  modalities: readonly Modality[],
): { readonly can: readonly Model[]; readonly unknown: readonly Model[]; readonly cannot: readonly Model[] } {
  const having = (isSupported: boolean | undefined): readonly Model[] =>
    models.filter((model) => supportsModalities(model, modalities) === isSupported);
  return { can: having(true), unknown: having(undefined), cannot: having(false) };
}
