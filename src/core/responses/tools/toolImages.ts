import type { CompletionMessage, ContentPart } from "../../conversation/completion.ts";

export interface AttachedImages {
  readonly messages: readonly CompletionMessage[];
  /** Pictures that the model is not given. */
  readonly leftOut: number;
}

/**
 * Services take nothing but text as the result of a tool. Its pictures follow the results in a message of their own, as
 * if the user had sent them; a model that is not known to see is told that they are left out. Models read the words:
 * they are never translated.
 */
export function attachToolImages(
  messages: readonly CompletionMessage[],
  supportsImages: boolean,
): AttachedImages {
  let leftOut = 0;
  const attached: CompletionMessage[] = [];
  let waiting: readonly ContentPart[] = [];
  for (const [index, message] of messages.entries()) {
    const { texts, images } = split(message);
    if (message.role !== "tool" || images.length === 0) attached.push(message);
    else if (supportsImages) {
      attached.push({ ...message, content: texts.join("\n") });
      waiting = [...waiting, ...images];
    } else {
      attached.push({ ...message, content: [...texts, unseen].join("\n") });
      leftOut += images.length;
    }
    // Between the results of one answer's calls nothing else may stand.
    if (waiting.length === 0 || messages[index + 1]?.role === "tool") continue;
    attached.push({ role: "user", content: [{ type: "text", text: heading }, ...waiting] });
    waiting = [];
  }
  return { messages: attached, leftOut };
}

const heading = "The pictures that the tool calls above gave, in their order:";
const unseen = "(It is left out: you are not known to see pictures.)";

function split({ content }: CompletionMessage): {
  readonly texts: readonly string[];
  readonly images: readonly ContentPart[];
} {
  if (typeof content === "string") return { texts: [content], images: [] };
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return { texts, images: content.filter(({ type }) => type === "image") };
}
