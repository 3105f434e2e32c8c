import type { CompletionPort } from "../completion.ts";
import type { TooLongPolicy } from "../tooLong.ts";
import { fitMessages } from "./fitMessages.ts";
import { countTools } from "./countTokens.ts";
import type { TokenCounter } from "./countTokens.ts";

export interface FittingContext {
  /** In tokens; undefined where it is not known. */
  contextLength(model: string): number | undefined;
  /** What is left out where the conversation itself doesn't say; undefined: nothing. */
  policy(): TooLongPolicy | undefined;
  count: TokenCounter;
  /** By what estimates are to be multiplied for this model. */
  factor(model: string): number;
}

/** Requests that fit the model's context, as far as it is known and the user has said what may be left out. */
export function fittingCompletions(completions: CompletionPort, context: FittingContext): CompletionPort {
  return {
    complete(request, observer) {
      const { whenTooLong = context.policy(), ...rest } = request;
      const contextLength = context.contextLength(request.model);
      if (whenTooLong === undefined || contextLength === undefined)
        return completions.complete(rest, observer);
      const maxTokens = request.parameters?.["max_tokens"];
      const room = contextLength - (typeof maxTokens === "number" ? maxTokens : 0);
      const tools = countTools(request.parameters?.["tools"], context.count);
      const limit = Math.floor(room / context.factor(request.model)) - tools;
      const budget = { limit, count: context.count };
      const { messages, omitted } = fitMessages(request.messages, budget, whenTooLong);
      if (omitted !== undefined) observer.onOmitted?.(omitted);
      return completions.complete({ ...rest, messages }, observer);
    },
  };
}
