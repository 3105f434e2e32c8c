import { t } from "@vscode/l10n";
import type { ContentPart, Model } from "../../conversation/completion.ts";
import { plainText } from "../../kernel/plainText.ts";

/** What a model needs for what is attached. */
export type Sense = "pictures" | "recordings";

export function isSense(value: string): value is Sense {
  return value === "pictures" || value === "recordings";
}

/** That a model can't take, or isn't known to take, what is attached. */
export interface SenseWarning {
  /** `no`: it would be refused. `unknown`: the server doesn't say, it may well work. */
  readonly certainty: "no" | "unknown";
  readonly senses: readonly Sense[];
  readonly message: string;
  /** Whether another model is known to take it. */
  readonly hasAlternative: boolean;
}

/** The senses that these parts ask for. */
export function sensesOf(parts: readonly ContentPart[]): readonly Sense[] {
  const hasPictures = parts.some(({ type }) => type === "image");
  const hasRecordings = parts.some(({ type }) => type === "audio");
  return [
    ...(hasPictures ? (["pictures"] as const) : []),
    ...(hasRecordings ? (["recordings"] as const) : []),
  ];
}

/** Whether the model has all of these senses; undefined where its server doesn't say. */
export function hasSenses(model: Model, senses: readonly Sense[]): boolean | undefined {
  const answers = senses.map((sense) => (sense === "pictures" ? model.seesPictures : model.hearsAudio));
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}

/**
 * What to say before parts that ask for `own` senses are sent to the model with this id, after messages that asked for
 * `earlier` ones: the model is told those, too. Undefined where nothing is to be said.
 */
export function findSenseWarning(
  own: readonly Sense[],
  selected: string | undefined,
  models: readonly Model[],
  earlier: readonly Sense[] = [],
): SenseWarning | undefined {
  const senses = [...new Set([...own, ...earlier])];
  if (senses.length === 0 || selected === undefined) return undefined;
  const model = models.find(({ id }) => id === selected) ?? { id: selected };
  const name = plainText(model.name ?? model.id, 80);
  const refused = senses.filter((sense) => hasSenses(model, [sense]) === false);
  const doubted = own.filter((sense) => hasSenses(model, [sense]) === undefined);
  if (refused.length === 0 && doubted.length === 0) return undefined;
  const hasAlternative = models.some((other) => other.id !== selected && hasSenses(other, senses) === true);
  if (refused.length === 0)
    return { certainty: "unknown", senses, message: doubt(name, doubted), hasAlternative };
  const refusedOwn = refused.filter((sense) => own.includes(sense));
  const message = refusedOwn.length > 0 ? refusal(name, refusedOwn) : refusalOfEarlier(name, refused);
  return { certainty: "no", senses, message, hasAlternative };
}

/** The models that have these senses, those of which it isn't known, and those that don't have them. */
export function groupBySenses(
  models: readonly Model[],
  senses: readonly Sense[],
): { readonly can: readonly Model[]; readonly unknown: readonly Model[]; readonly cannot: readonly Model[] } {
  const having = (answer: boolean | undefined): readonly Model[] =>
    models.filter((model) => hasSenses(model, senses) === answer);
  return { can: having(true), unknown: having(undefined), cannot: having(false) };
}

function refusal(name: string, lacking: readonly Sense[]): string {
  if (lacking.length > 1) return t("{0} doesn't support image or audio input.", name);
  return lacking[0] === "pictures"
    ? t("{0} doesn't support image input.", name)
    : t("{0} doesn't support audio input.", name);
}

function refusalOfEarlier(name: string, lacking: readonly Sense[]): string {
  if (lacking.length > 1) {
    return t("{0} doesn't support the images and audio in this conversation.", name);
  }
  return lacking[0] === "pictures"
    ? t("{0} doesn't support the images in this conversation.", name)
    : t("{0} doesn't support the audio in this conversation.", name);
}

function doubt(name: string, lacking: readonly Sense[]): string {
  if (lacking.length > 1) return t("{0} may not support image and audio input.", name);
  return lacking[0] === "pictures"
    ? t("{0} may not support image input.", name)
    : t("{0} may not support audio input.", name);
}
