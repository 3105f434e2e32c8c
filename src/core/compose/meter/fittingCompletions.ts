import type { CompletionPort, CompletionRequest, Modality } from "../../conversation/completion.ts";
import { lawfulMessages } from "../../conversation/lawfulMessages.ts";
import type { Omission } from "../../conversation/tooLong.ts";
import type { TokenCounts } from "../../kernel/errors.ts";
import { requiredModalities } from "../attachments/modalities.ts";
import { countParameters, countMessages } from "../../conversation/countTokens.ts";
import type { TokenCounter } from "../../conversation/countTokens.ts";
import { fitMessages } from "./fitMessages.ts";
import type { FitPolicy, FittedMessages } from "./fitMessages.ts";

interface FittingContext {
  /** In tokens; undefined if not known. */
  contextLength(model: string): number | undefined;
  /** Whether the model supports this modality; undefined if that isn't known. */
  supports(model: string, modality: Modality): boolean | undefined;
  /** Whether the model is known not to support tools. */
  lacksTools(model: string): boolean;
  /** What is left out if the conversation itself doesn't specify it; undefined means nothing. */
  policy(): FitPolicy | undefined;
  count: TokenCounter;
  /** The factor to apply to estimates for this model. */
  factor(model: string): number;
}

/**
 * Requests that the model accepts: they fit its context window, as far as it is known and the user has allowed
 * omissions, and what it is known not to support is left out.
 */
export function fittingCompletions(completions: CompletionPort, context: FittingContext): CompletionPort {
  /** By model: limits that servers reported when they rejected a request. */
  const knownLimits = new Map<string, number>();
  const known: FittingContext = {
    ...context,
    contextLength: (model) => smaller(context.contextLength(model), knownLimits.get(model)),
  };
  return {
    complete(request, observer) {
      const { whenTooLong = context.policy(), shorten, ...whole } = request;
      const rest = context.lacksTools(whole.model) ? withoutTools(whole) : whole;
      if (shorten?.limit !== undefined) knownLimits.set(rest.model, shorten.limit);
      const { messages, omitted } =
        shorten === undefined
          ? fit(rest, known, whenTooLong)
          : shortened(rest, known, whenTooLong ?? "oldest", shorten);
      const isReadable = (modality: Modality): boolean => context.supports(rest.model, modality) !== false;
      const inputs = requiredModalities(
        messages.flatMap(({ content }) => (typeof content === "string" ? [] : content)),
      ).filter((modality) => !isReadable(modality));
      if (omitted !== undefined || inputs.length > 0)
        observer.onOmitted?.({ ...nothing, ...omitted, ...(inputs.length === 0 ? {} : { inputs }) });
      if (rest !== whole) observer.onOmitted?.({ tools: true });
      return completions.complete({ ...rest, messages: lawfulMessages(messages, isReadable) }, observer);
    },
  };
}

const toolFields: ReadonlySet<string> = new Set(["tools", "tool_choice", "parallel_tool_calls"]);

/** The request without the tools that it offers; the same object if it offers none. */
function withoutTools(request: CompletionRequest): CompletionRequest {
  const { parameters = {} } = request;
  if (parameters["tools"] === undefined) return request;
  const kept = Object.entries(parameters).filter(([name]) => !toolFields.has(name));
  return { ...request, parameters: Object.fromEntries(kept) };
}

const nothing: Omission = { turns: 0, files: 0, tokens: 0 };

function smaller(first: number | undefined, second: number | undefined): number | undefined {
  return first === undefined || second === undefined ? (first ?? second) : Math.min(first, second);
}

function fit(
  request: CompletionRequest,
  context: FittingContext,
  policy: FitPolicy | undefined,
): FittedMessages {
  const limit = roomFor(request, context);
  if (limit === undefined) return { messages: request.messages };
  return fitMessages(request.messages, { limit, count: context.count, model: request.model }, policy);
}

/** The estimated tokens that the messages may take; undefined if the model's limit isn't known. */
function roomFor(request: CompletionRequest, context: FittingContext): number | undefined {
  const { model, parameters = {} } = request;
  const contextLength = context.contextLength(model);
  if (contextLength === undefined) return undefined;
  const maxTokens = request.maxTokens ?? parameters["max_tokens"];
  const room = contextLength - (typeof maxTokens === "number" ? maxTokens : 0);
  return Math.floor(room / context.factor(model)) - countParameters(parameters, context.count);
}

/**
 * The share of the limit that messages may use when the server has said how much is too much; the rest is for the
 * response.
 */
const usedShare = 0.9;

/**
 * Less than what was rejected. The server's numbers show how wrong our estimate was; without them, half as much is
 * sent.
 */
function shortened(
  request: CompletionRequest,
  context: FittingContext,
  policy: FitPolicy,
  { limit, requested }: TokenCounts,
): FittedMessages {
  const { messages, model, parameters = {} } = request;
  const { count } = context;
  const estimate = countMessages(messages, count, model);
  const offered = countParameters(parameters, count);
  const scaled =
    limit === undefined || requested === undefined || requested <= limit
      ? estimate / 2
      : ((estimate + offered) * limit * usedShare) / requested - offered;
  const room = roomFor(request, context) ?? Infinity;
  return fitMessages(messages, { limit: Math.floor(Math.min(scaled, room)), count, model }, policy);
}
