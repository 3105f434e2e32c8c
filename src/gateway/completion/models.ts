import { modalityFacts, readCapabilities } from "../../core/conversation/modelCatalog.ts";
import type { Modality, Model } from "../../core/conversation/completion.ts";
import type { JsonRecord } from "../../core/kernel/json.ts";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import { readPublishedPrice } from "./publishedPrice.ts";
import { filledFields } from "../../core/kernel/filledFields.ts";

/**
 * Parses the response to `GET /v1/models`: a list, or an object that contains one; undefined for anything else.
 * Models that certainly don't chat (embeddings, rerankers, image generators) are left out, and doubtful ones are kept.
 */
export function parseModels(value: unknown): readonly Model[] | undefined {
  const list = findList(value);
  if (list === undefined) return undefined;
  const models = new Map<string, Model>();
  for (const entry of list) {
    const record: JsonRecord | undefined =
      typeof entry === "string" ? { id: entry } : isRecord(entry) ? entry : undefined;
    const model = record === undefined ? undefined : parseModel(record);
    if (model !== undefined && !models.has(model.id)) models.set(model.id, model);
  }
  return [...models.values()];
}

const listNames = ["data", "models", "items", "list", "result", "results"];

function findList(value: unknown, depth = 0): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isRecord(value) || depth > 2) return undefined;
  for (const name of listNames) {
    const list = findList(value[name], depth + 1);
    if (list !== undefined) return list;
  }
  return undefined;
}

function parseModel(record: JsonRecord): Model | undefined {
  const id = firstString(record, ["id", "model", "model_id", "model_name", "name", "slug"]);
  if (id === undefined) return undefined;
  if (!isChatModel(id, record)) return undefined;
  const name = firstString(record, ["display_name", "displayName", "name", "title"]);
  const inputs = inputNames(record);
  return filledFields({
    ...{ id, name: name === id ? undefined : name },
    contextLength: parseTokens(record, contextNames),
    maxOutputTokens: parseTokens(record, outputNames),
    ...readCapabilities((modality) => isSupported(modality, inputs, record)),
    ...featureFacts(record),
    price: readPublishedPrice(record),
  });
}

/** What the list of the request's parameters, the list of features, or a flag says about tools and reasoning. */
function featureFacts(record: JsonRecord): Pick<Model, "supportsTools" | "supportsReasoning"> {
  const parameters = Array.isArray(record["supported_parameters"])
    ? wordsOf(record["supported_parameters"])
    : undefined;
  const features = [...wordsOf(record["capabilities"]), ...wordsOf(record["supported_features"])];
  const read = (flags: readonly string[], word: RegExp): boolean | undefined => {
    const said = flags.map((flag) => record[flag]).find((value) => typeof value === "boolean");
    if (typeof said === "boolean") return said;
    if (features.some((feature) => word.test(feature))) return true;
    return parameters?.some((parameter) => word.test(parameter));
  };
  return filledFields({
    supportsTools: read(["supports_tools", "supports_function_calling", "supports_tool_calling"], toolWord),
    supportsReasoning: read(["supports_reasoning", "supports_thinking"], reasoningWord),
  });
}

const toolWord = /^(?:tools?|tool_choice|tool[-_]?(?:use|calls?|calling)|functions?|function[-_]?calling)$/i;
const reasoningWord = /^(?:reasoning|reasoning_effort|include_reasoning|thinking)$/i;

function firstString(record: JsonRecord, names: readonly string[]): string | undefined {
  return names
    .map((name) => stringField(record, name)?.trim())
    .find((text) => text !== undefined && text !== "");
}

const contextNames = [
  "context_length",
  "contextLength",
  "max_model_len",
  "context_window",
  "max_context_length",
  "max_context_tokens",
  "context_size",
  "max_input_tokens",
  "n_ctx",
  "n_ctx_train",
];
const outputNames = ["max_output_tokens", "maxOutputTokens", "max_completion_tokens", "max_output_length"];

/** In tokens; servers put it next to the ID or one level deeper. */
function parseTokens(record: JsonRecord, names: readonly string[]): number | undefined {
  const locations = [
    record,
    record["meta"],
    record["metadata"],
    record["limits"],
    record["top_provider"],
  ].filter(isRecord);
  for (const location of locations) {
    for (const name of names) {
      const length = Number(location[name]);
      if (location[name] !== null && Number.isSafeInteger(length) && length > 0) return length;
    }
  }
  return undefined;
}

/** What the record says about inputs and capabilities, in lower case; undefined if it says nothing. */
function inputNames(record: JsonRecord): readonly string[] | undefined {
  const architecture = isRecord(record["architecture"]) ? record["architecture"] : {};
  const modality = stringField(architecture, "modality") ?? stringField(record, "modality");
  const modalities = isRecord(record["modalities"]) ? record["modalities"]["input"] : record["modalities"];
  const words = [
    ...wordsOf(record["input_modalities"]),
    ...wordsOf(architecture["input_modalities"]),
    ...wordsOf(modalities),
    ...wordsOf(record["capabilities"]),
    ...(modality === undefined ? [] : (modality.split("->")[0] ?? "").split("+")),
  ];
  return words.length === 0 ? undefined : words.map((word) => word.trim().toLowerCase());
}

/** Words in a list, or the names of an object's fields that are true. */
function wordsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((word) => typeof word === "string");
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, isSo]) => (isSo === true ? [name] : []));
}

/** A list of input modalities without images means no support. A missing list is inconclusive. */
function isSupported(
  modality: Modality,
  words: readonly string[] | undefined,
  record: JsonRecord,
): boolean | undefined {
  const { flag, word } = modalityFacts[modality];
  const said = record[flag];
  if (typeof said === "boolean") return said;
  if (words === undefined) return undefined;
  if (words.some((one) => word.test(one))) return true;
  return words.includes("text") ? false : undefined;
}

const chatTypes =
  /chat|text|llm|language|completion|vision|vlm|multimodal|instruct|generat(?:e|ion|ive)|conversation|reasoning/i;
const otherTypes =
  /embed|rerank|moderation|text-to-(?:image|speech|video)|image-generation|speech-to-text|transcription|tts|asr|diffusion/i;
/** Words in an ID that no chat model has. */
const otherIds =
  /(?:^|[/_.-])(?:text-)?(?:embed(?:ding|dings|der)?|rerank(?:er)?|bge|gte|e5|whisper|tts|moderation|stable-diffusion|sdxl|flux|dall-e|clip|colbert)(?:$|[/_.:\d-])/i;

function typeOf(record: JsonRecord): string | undefined {
  return firstString(record, ["type", "task", "model_type", "pipeline_tag", "category", "mode"]);
}

/** Shows a model in case of doubt: only those that are clearly something else are left out. */
function isChatModel(id: string, record: JsonRecord): boolean {
  const type = typeOf(record);
  if (type !== undefined && otherTypes.test(type)) return false;
  if (type !== undefined && chatTypes.test(type)) return true;
  return !otherIds.test(id);
}
