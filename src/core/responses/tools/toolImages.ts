import type { CompletionMessage, ContentPart } from "../../conversation/completion.ts";

export interface AttachedImages {
  readonly messages: readonly CompletionMessage[];
  /** Images that aren't sent to the model. */
  readonly leftOut: number;
}

/**
 * Services accept only text as the result of a tool. Its images follow the results in a message of their own, as if the
 * user had sent them. For a model that isn't known to support images, a note says that they are left out. The texts are
 * for models and are never translated.
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
    // Between the results of one response's calls nothing else may stand.
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
