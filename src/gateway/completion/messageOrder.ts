import type { CompletionMessage, ContentPart } from "../../core/conversation/completion.ts";

/**
 * The order of messages that a chat template requires: `alternate` accepts only alternating user and assistant
 * messages, with one system message at the beginning; `noSystem` doesn't support system messages at all.
 */
export type MessageOrder = "alternate" | "noSystem";

const noSystemWords =
  /system (?:role|prompt|message|instruction)s?\b[^.\n]{0,30}\b(?:not|n't|un)\s?(?:be )?(?:supported|allowed|enabled|accepted)|(?:does not|doesn't|not) support (?:the )?(?:a )?["'`]?system|developer instruction is not enabled|only (?:the )?["'`]?user["'`]?,? (?:and|or) ["'`]?(?:assistant|model)["'`]? roles/i;
const alternateWords =
  /\balternat(?:e|es|ing|ion)\b|consecutive\b[^.\n]{0,40}\b(?:role|message|user|assistant)|unexpected role|(?:same|repeated) role|roles? order|order of (?:the )?(?:roles|messages)|(?:system|first|last) message (?:must|should|has to|role)|(?:after|before|followed by)\b[^.\n]{0,30}\b(?:role|["'`](?:user|assistant|tool|system)["'`])/i;

/** The order that a rejection message requires; undefined if it is about something else. */
export function demandedOrder(statusCode: number, words: string): MessageOrder | undefined {
  // Templates raise their exceptions with 400 and 422, and with 500 if a server doesn't expect them.
  if (statusCode !== 400 && statusCode !== 422 && statusCode !== 500) return undefined;
  const start = words.slice(0, 4_000);
  if (noSystemWords.test(start)) return "noSystem";
  return alternateWords.test(start) ? "alternate" : undefined;
}

/** The messages in the required order; none of their content is lost. */
export function orderMessages(
  messages: readonly CompletionMessage[],
  order: MessageOrder,
): readonly CompletionMessage[] {
  const system = messages.filter(({ role }) => role === "system");
  const rest = messages.filter(({ role }) => role !== "system");
  const said = system.reduce<Content>((content, message) => joinContent(content, message.content), "");
  const isSilent = said.length === 0;
  if (order === "noSystem" && !isSilent) return merge([{ role: "user", content: said }, ...rest]);
  return [...(isSilent ? [] : [{ role: "system", content: said } as const]), ...merge(startWithUser(rest))];
}

type Content = CompletionMessage["content"];

/** Inserted where a template requires a message and there is none. */
const placeholder = "…";

function startWithUser(messages: readonly CompletionMessage[]): readonly CompletionMessage[] {
  const isOther = messages[0] !== undefined && messages[0].role !== "user";
  return isOther ? [{ role: "user", content: placeholder }, ...messages] : messages;
}

function merge(messages: readonly CompletionMessage[]): readonly CompletionMessage[] {
  const merged: CompletionMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    const isSame = last?.role === message.role && message.role !== "tool";
    if (last !== undefined && isSame && !last.toolCalls?.length) merged.splice(-1, 1, join(last, message));
    else {
      // Tool results belong to the assistant, which must respond before the next user message.
      if (last?.role === "tool" && message.role === "user")
        merged.push({ role: "assistant", content: placeholder });
      merged.push(message);
    }
  }
  return merged;
}

/** The later message, preceded by the content of the earlier one. */
function join(first: CompletionMessage, second: CompletionMessage): CompletionMessage {
  return { ...first, ...second, content: joinContent(first.content, second.content) };
}

function joinContent(first: Content, second: Content): Content {
  if (first.length === 0) return second;
  if (second.length === 0) return first;
  if (typeof first === "string" && typeof second === "string") return `${first}\n\n${second}`;
  return [...partsOf(first), ...partsOf(second)];
}

function partsOf(content: Content): readonly ContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
