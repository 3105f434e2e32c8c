import type { Adaptation } from "../../core/conversation/adaptations.ts";
import type { CompletionMessage, CompletionRequest, Modality } from "../../core/conversation/completion.ts";
import { allModalities } from "../../core/conversation/modelCatalog.ts";
import type { ErrorFacts } from "../../core/kernel/errors.ts";
import { PhraseTable, readWords } from "../errors/phrases.ts";
import { demandedOrder, renamedLimit } from "./requestBody.ts";

/** How servers refuse to stream. */
const noStreaming = new PhraseTable(`
  OpenAI, Bedrock, Cerebras: stream|streaming … not supported|enabled|available|allowed; stream|streaming unsupported|disabled; not support stream|streaming; unsupported parameter stream
  TGI, NIM: stream … must|should be false; stream … must be set to false
`);

/**
 * The smallest change that the server's words name, without which it rejects the request; undefined if they name none
 * that would leave the user with what they asked for.
 * @param text The body of the rejection.
 */
export function findAdaptation(
  request: CompletionRequest,
  error: ErrorFacts,
  text: string,
): Adaptation | undefined {
  const words = text.slice(0, 4_000);
  const input = rejectedInput(request, error);
  // Without what the user has just attached, the question makes no sense, so the user decides.
  if (input !== undefined) return isJustAttached(request, input) ? undefined : `input:${input}`;
  if (request.stream && noStreaming.isIn(readWords(words))) return "field:stream";
  if (error.reason !== "unsupportedParameter" && error.statusCode !== 400 && error.statusCode !== 422)
    return orderOf(error, words);
  if (request.stream && /stream_options|include_usage/.test(words)) return "field:stream_options";
  const returned = returnedNames(request).find((name) => namesField(words, name));
  if (returned !== undefined) return `messageField:${returned}`;
  const { reason, parameter: refused = "", tokenLimit } = error;
  const hasField = (name: string): boolean => Object.hasOwn(request.parameters ?? {}, name);
  // Servers choose tools on their own if nothing is said about it, so that the choice is refused with the tools.
  const parameter = refused === "tool_choice" && !hasField(refused) ? "tools" : refused;
  const isSent = hasField(parameter) || (parameter === "max_tokens" && request.maxTokens !== undefined);
  // With the server's limit, a smaller number is better than none.
  const isNamed = reason === "unsupportedParameter" && isSent && tokenLimit === undefined;
  // Without its limit, a response may cost many times as much.
  if (isNamed && parameter === "max_tokens" && words.includes(renamedLimit)) return "rename:max_tokens";
  return isNamed ? `field:${parameter}` : orderOf(error, words);
}

function orderOf({ statusCode = 0 }: ErrorFacts, words: string): Adaptation | undefined {
  const order = demandedOrder(statusCode, words);
  return order === undefined ? undefined : `order:${order}`;
}

/** The input in the request that the model can't read; undefined if the error isn't about any. */
export function rejectedInput(
  { messages }: Pick<CompletionRequest, "messages">,
  { reason, input }: ErrorFacts,
): Modality | undefined {
  if (reason !== "unsupportedInput" || input === undefined) return undefined;
  // A server that isn't multimodal doesn't distinguish between images and audio.
  return [input, ...allModalities].find((modality) =>
    messages.some((message) => contains(message, modality)),
  );
}

function isJustAttached({ messages }: CompletionRequest, input: Modality): boolean {
  const last = messages.findLastIndex(({ role }) => role === "user" || role === "assistant");
  return messages[last]?.role === "user" && contains(messages[last], input);
}

function contains({ content }: CompletionMessage, modality: Modality): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === modality);
}

/** The fields of messages that are sent back to the provider they came from. */
function returnedNames({ messages }: CompletionRequest): readonly string[] {
  const names = messages.flatMap(({ providerFields, name }: CompletionMessage) => [
    ...(providerFields?.reasoningNames ?? []),
    ...Object.keys(providerFields?.members ?? {}),
    ...(name === undefined ? [] : ["name"]),
  ]);
  // The longest first, because one may be the start of another.
  return [...new Set(names)]
    .filter((name) => name !== "content")
    .toSorted((left, right) => right.length - left.length);
}

/** Whether the field is named as such: `reasoning` is also a word. */
function namesField(words: string, name: string): boolean {
  const escaped = name.replace(/[^\w]/g, "");
  const pattern = new RegExp(`["'\`.\\[]${escaped}["'\`\\]:]|\\b(?:property|field|key)\\W{1,4}${escaped}\\b`);
  return pattern.test(words) || (name.includes("_") && new RegExp(`\\b${escaped}\\b`).test(words));
}
