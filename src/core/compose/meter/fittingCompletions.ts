import type { CompletionPort, CompletionRequest } from "../../conversation/completion.ts";
import type { TokenCounts } from "../../kernel/errors.ts";
import type { Omission, TooLongPolicy } from "../../conversation/tooLong.ts";
import { attachToolImages } from "../../responses/tools/toolImages.ts";
import { countMessages, fitMessages } from "./fitMessages.ts";
import type { FittedMessages } from "./fitMessages.ts";
import { countParameters } from "./countTokens.ts";
import type { TokenCounter } from "./countTokens.ts";

export interface FittingContext {
  /** In tokens; undefined if it is not known. */
  contextLength(model: string): number | undefined;
  /** Whether the model is known to see. */
  supportsImages(model: string): boolean;
  /** What is left out where the conversation itself doesn't say; undefined: nothing. */
  policy(): TooLongPolicy | undefined;
  count: TokenCounter;
  /** By what estimates are to be multiplied for this model. */
  factor(model: string): number;
}

/**
 * Requests that the model can take: they fit its context window, as far as it is known and the user has allowed
 * omissions, and images from tools are placed where the model can use them.
 */
export function fittingCompletions(completions: CompletionPort, context: FittingContext): CompletionPort {
  /** By model: limits that servers have given when they rejected a request. */
  const knownLimits = new Map<string, number>();
  const known: FittingContext = {
    ...context,
    contextLength: (model) => smaller(context.contextLength(model), knownLimits.get(model)),
  };
  return {
    complete(request, observer) {
      const { whenTooLong = context.policy(), shorten, ...rest } = request;
      if (shorten?.limit !== undefined) knownLimits.set(rest.model, shorten.limit);
      const fitted =
        shorten === undefined
          ? fit(rest, known, whenTooLong)
          : shortened(rest, known, whenTooLong ?? "oldest", shorten);
      const { messages, leftOut } = attachToolImages(fitted.messages, context.supportsImages(rest.model));
      const omitted = leftOut === 0 ? fitted.omitted : { ...nothing, ...fitted.omitted, pictures: leftOut };
      if (omitted !== undefined) observer.onOmitted?.(omitted);
      return completions.complete({ ...rest, messages }, observer);
    },
  };
}

const nothing: Omission = { turns: 0, files: 0, tokens: 0 };

function smaller(first: number | undefined, second: number | undefined): number | undefined {
  return first === undefined || second === undefined ? (first ?? second) : Math.min(first, second);
}

function fit(
  request: CompletionRequest,
  context: FittingContext,
  policy: TooLongPolicy | undefined,
): FittedMessages {
  const limit = roomFor(request, context);
  if (policy === undefined || limit === undefined) return { messages: request.messages };
  return fitMessages(request.messages, { limit, count: context.count, model: request.model }, policy);
}

/** What the messages may take, by estimate; undefined if the model's limit is not known. */
function roomFor({ model, parameters = {} }: CompletionRequest, context: FittingContext): number | undefined {
  const contextLength = context.contextLength(model);
  if (contextLength === undefined) return undefined;
  const maxTokens = parameters["max_tokens"];
  const room = contextLength - (typeof maxTokens === "number" ? maxTokens : 0);
  return Math.floor(room / context.factor(model)) - countParameters(parameters, context.count);
}

/** Left for the response where the server has said how much is too much. */
const usedShare = 0.9;

/**
 * Less than what was rejected: the server's own numbers say how wrong our estimate was; without them it is half as
 * much.
 */
function shortened(
  request: CompletionRequest,
  context: FittingContext,
  policy: TooLongPolicy,
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
