import type { CompletionPort, CompletionRequest } from "../../conversation/completion.ts";
import { startOf, withoutElement } from "../../kernel/foreignText.ts";
import type { Message } from "../../conversation/conversation.ts";

/** In user-perceived words, if the language has spaces; a model that writes more has misunderstood the task. */
const maxTitleWords = 12;
/** In UTF-16 units. */
const longest = 80;

/** The title in the model's response; undefined if it wrote something else. */
export function parseTitle(response: string): string | undefined {
  const lines = withoutElement(response, "<think>", "</think>")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const [line, ...others] = lines;
  if (line === undefined || others.length > 0) return undefined;
  const title = line
    .replace(/^(?:#+\s*|title:\s*)+/iu, "")
    .replace(/^["'“”„«*_`]+|(?<!["'“”«»*_`])["'“”«»*_`]+$/gu, "")
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .replace(/(?<=\S)[.。]$/u, "")
    .trim();
  if (title === "" || title.length > longest || title.split(" ").length > maxTitleWords) return undefined;
  return title;
}

/** In UTF-16 units; a model that writes more has misunderstood the task, or reasons for too long about a title. */
const [longestText, longestReasoning] = [1_000, 20_000];

/**
 * Sends the request once; undefined if no complete title was received. Rejects with the reason if there was no response
 * at all.
 */
export async function generateTitle(
  completions: CompletionPort,
  request: CompletionRequest,
): Promise<string | undefined> {
  const run = completions.complete(request, {
    purpose: "title",
    // A title isn't worth a retry.
    onRetry: () => run.stop(),
  });
  let [text, reasoningLength] = ["", 0];
  for await (const event of run.events) {
    if (event.type === "text") text += event.text;
    if (event.type === "reasoning") reasoningLength += event.text.length;
    if (event.type === "reasoningEnd") text = "";
    if (event.type === "settling" || event.type === "finish")
      return event.reason === "length" ? undefined : parseTitle(text);
    // The rest would cost tokens without becoming a title. Leaving the loop closes the connection.
    if (text.length > longestText || reasoningLength > longestReasoning) return undefined;
  }
  return undefined;
}

/** UTF-16 units of each message that are used to generate a title. */
const longestExcerpt = 1_500;

/** The request to the conversation's model for a title after the first turn; undefined at any other time. */
export function titleRequest(
  path: readonly Message[],
  model: string | undefined,
): CompletionRequest | undefined {
  const [question, response] = path;
  if (model === undefined || path.length !== 2 || question?.role !== "user") return undefined;
  if (response?.role !== "assistant" || response.status !== "complete" || response.text.trim() === "")
    return undefined;
  const content = [
    "Give the following conversation a title of at most six words, in its own language.",
    "Answer with the title alone: no quotation marks, no full stop, no explanation.",
    `<user>\n${excerpt(question.text)}\n</user>`,
    `<assistant>\n${excerpt(response.text)}\n</assistant>`,
  ].join("\n\n");
  // No limit, because a reasoning model would use it up before the first word of the title.
  return { model, messages: [{ role: "user", content }], stream: true };
}

function excerpt(text: string): string {
  return text.length <= longestExcerpt ? text : `${startOf(text, longestExcerpt)}…`;
}
