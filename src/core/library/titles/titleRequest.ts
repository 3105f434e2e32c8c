import type { CompletionRequest } from "../../conversation/completion.ts";
import type { Message } from "../../conversation/conversation.ts";

/** UTF-16 units of each message that are used to find a title. */
const longestExcerpt = 1_500;

/** Asks the conversation's model for a title after its first turn; undefined if it isn't the time. */
export function titleRequest(
  path: readonly Message[],
  model: string | undefined,
): CompletionRequest | undefined {
  const [question, answer] = path;
  if (model === undefined || path.length !== 2 || question?.role !== "user") return undefined;
  if (answer?.role !== "assistant" || answer.status !== "complete" || answer.text.trim() === "")
    return undefined;
  const content = [
    "Give the following conversation a title of at most six words, in its own language.",
    "Answer with the title alone: no quotation marks, no full stop, no explanation.",
    `<user>\n${excerpt(question.text)}\n</user>`,
    `<assistant>\n${excerpt(answer.text)}\n</assistant>`,
  ].join("\n\n");
  // Without a limit: a thinking model would use it up before the first word of the title.
  return { model, messages: [{ role: "user", content }], stream: true };
}

function excerpt(text: string): string {
  return text.length <= longestExcerpt ? text : `${text.slice(0, longestExcerpt)}…`;
}
