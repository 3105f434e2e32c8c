import type { CompletionMessage } from "./completion.ts";
import type { Message } from "./conversation.ts";
import { endingOf } from "./finishReason.ts";
import { filledFields } from "../kernel/filledFields.ts";

/** Sent to the model after the partial response; not a text for the user. */
const instruction =
  "Your answer broke off. Continue it exactly where it ends, without repeating anything, without an introduction " +
  "and without opening a code block again that is still open.";

/** A version of a response that begins with its partial text, which may cite its sources, and continues from there. */
export function continuedFrom(broken: Message, fresh: Message): Message {
  const { text, reasoning, seams = [], sources } = broken;
  return { ...fresh, text, reasoning, seams: [...seams, text.length], ...filledFields({ sources }) };
}

/** The messages of the request that continues a response. */
export function continuationMessages(
  before: readonly CompletionMessage[],
  text: string,
): readonly CompletionMessage[] {
  return [...before, { role: "assistant", content: text }, { role: "user", content: instruction }];
}

type BrokenFacts = Pick<Message, "role" | "status" | "text"> & {
  readonly finishReason?: string | undefined;
};

/** Whether there is something to continue from. */
export function canContinue({ role, status, text, finishReason }: BrokenFacts): boolean {
  return (
    role === "assistant" &&
    text !== "" &&
    (status === "failed" || status === "stopped" || endingOf(finishReason) === "length")
  );
}
