import type { CompletionPort, CompletionRequest } from "../completion.ts";
import type { Omission, TooLongPolicy } from "../tooLong.ts";
import { placeToolPictures } from "../tools/toolPictures.ts";
import { fitMessages } from "./fitMessages.ts";
import type { FittedMessages } from "./fitMessages.ts";
import { countParameters } from "./countTokens.ts";
import type { TokenCounter } from "./countTokens.ts";

export interface FittingContext {
  /** In tokens; undefined where it is not known. */
  contextLength(model: string): number | undefined;
  /** Whether the model is known to see. */
  seesPictures(model: string): boolean;
  /** What is left out where the conversation itself doesn't say; undefined: nothing. */
  policy(): TooLongPolicy | undefined;
  count: TokenCounter;
  /** By what estimates are to be multiplied for this model. */
  factor(model: string): number;
}

/**
 * Requests that the model can take: they fit its context, as far as it is known and the user has said what may be left
 * out, and the pictures of tools are where they can be seen.
 */
export function fittingCompletions(completions: CompletionPort, context: FittingContext): CompletionPort {
  return {
    complete(request, observer) {
      const { whenTooLong = context.policy(), ...rest } = request;
      const fitted = fit(rest, context, whenTooLong);
      const { messages, leftOut } = placeToolPictures(fitted.messages, context.seesPictures(rest.model));
      const omitted = leftOut === 0 ? fitted.omitted : { ...nothing, ...fitted.omitted, pictures: leftOut };
      if (omitted !== undefined) observer.onOmitted?.(omitted);
      return completions.complete({ ...rest, messages }, observer);
    },
  };
}

const nothing: Omission = { turns: 0, files: 0, tokens: 0 };

function fit(
  { model, messages, parameters = {} }: CompletionRequest,
  context: FittingContext,
  policy: TooLongPolicy | undefined,
): FittedMessages {
  const contextLength = context.contextLength(model);
  if (policy === undefined || contextLength === undefined) return { messages };
  const maxTokens = parameters["max_tokens"];
  const room = contextLength - (typeof maxTokens === "number" ? maxTokens : 0);
  const offered = countParameters(parameters, context.count);
  const limit = Math.floor(room / context.factor(model)) - offered;
  return fitMessages(messages, { limit, count: context.count }, policy);
}
