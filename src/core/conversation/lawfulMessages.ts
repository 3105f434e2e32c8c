import { isJsonObject, parseJson, wellFormedJson } from "../kernel/json.ts";
import type { CompletionMessage, ContentPart, Modality, ToolCall } from "./completion.ts";
import { readBase64Kind } from "./fileKind.ts";

/**
 * The messages in a form that every server accepts, wherever they come from: calls with their results, in one run and
 * in the order of the calls, under IDs that no other call has; arguments that are an object; media where a model can
 * read them, with the type that they really have. Nothing that a model was sent disappears without a note. The notes
 * are for models and are never translated.
 * @param isReadable Whether the model reads this kind of part; a note takes the place of the others.
 */
export function lawfulMessages(
  messages: readonly CompletionMessage[],
  isReadable: (modality: Modality) => boolean = () => true,
): readonly CompletionMessage[] {
  const lawful: CompletionMessage[] = [];
  let media: readonly ContentPart[] = [];
  const ordered = inRounds(messages);
  for (const [index, message] of ordered.entries()) {
    if (message.role === "tool") {
      const parts = partsOf(message.content).flatMap((part) => lawfulPart(part, isReadable));
      lawful.push({ ...message, content: resultText(parts) });
      media = [...media, ...parts.filter(({ type }) => type !== "text")];
    } else {
      const content = lawfulContent(message, isReadable);
      // Only users can show something.
      const role = typeof content === "string" || hasCalls(message) ? message.role : "user";
      if (content.length > 0 || hasCalls(message)) lawful.push({ ...message, role, content });
    }
    // Nothing may come between the results of one response's calls.
    if (media.length === 0 || ordered[index + 1]?.role === "tool") continue;
    lawful.push({ role: "user", content: [{ type: "text", text: mediaHeading }, ...media] });
    media = [];
  }
  return lawful;
}

const mediaHeading = "The images returned by the tool calls above, in order:";
const noOutput = "(The tool gave no output.)";
const onlyMedia = "(The result follows as an image.)";

/** Each message with calls, followed by their results. A call without a result is left out, and so is the reverse. */
function inRounds(messages: readonly CompletionMessage[]): readonly CompletionMessage[] {
  const ordered: CompletionMessage[] = [];
  const uses = new Map<string, number>();
  let at = 0;
  while (at < messages.length) {
    let caller = messages[at++];
    if (caller === undefined || caller.role === "tool") continue;
    if (!hasCalls(caller)) {
      ordered.push(caller);
      continue;
    }
    // Some callers split a response with several calls into a message for each.
    for (let next = messages[at]; next?.role === "assistant"; next = messages[++at])
      caller = joinCallers(caller, next);
    const start = at;
    while (at < messages.length && !hasCalls(messages[at])) at++;
    const following = messages.slice(start, at);
    const results = following.filter(({ role }) => role === "tool");
    const rounds = (caller.toolCalls ?? []).flatMap((call) => {
      const found = results.findIndex(({ toolCallId = "" }) => toolCallId === call.id);
      const [result] = found === -1 ? [] : results.splice(found, 1);
      const id = uniqueId(call.id, uses);
      return result === undefined
        ? []
        : [{ call: lawfulCall(call, id), result: { ...result, toolCallId: id } }];
    });
    ordered.push({ ...caller, toolCalls: rounds.map(({ call }) => call) });
    ordered.push(...rounds.map(({ result }) => result), ...following.filter(({ role }) => role !== "tool"));
  }
  return ordered;
}

function hasCalls(message: CompletionMessage | undefined): boolean {
  return message?.role === "assistant" && (message.toolCalls ?? []).length > 0;
}

function joinCallers(first: CompletionMessage, second: CompletionMessage): CompletionMessage {
  const content = [first, second].flatMap((message) => partsOf(message.content));
  return {
    ...second,
    ...first,
    content: simplified(content),
    toolCalls: [...(first.toolCalls ?? []), ...(second.toolCalls ?? [])],
  };
}

/** Servers count calls from 0 in every response, or repeat the name of the function. */
function uniqueId(id: string, uses: Map<string, number>): string {
  const base = id === "" ? "call" : id;
  let count = uses.get(base) ?? 1;
  let unique = base;
  while (uses.has(unique)) unique = `${base}_${++count}`;
  uses.set(base, count).set(unique, uses.get(unique) ?? 1);
  return unique;
}

/**
 * Servers parse the arguments again and reject everything that follows if they aren't an object, or if the name is one
 * that no function can have. The result describes the original ones.
 */
function lawfulCall(call: ToolCall, id: string): ToolCall {
  const name = call.name.replace(/[^\w-]/g, "_").slice(0, 64) || "unknown";
  const input = parseJson(call.arguments);
  if (!isJsonObject(input)) return { ...call, id, name, arguments: "{}" };
  const hasHalf = /\\u[dD][89a-fA-F]/.test(call.arguments);
  const json = hasHalf ? wellFormedJson(input) : call.arguments.toWellFormed();
  return { ...call, id, name, arguments: json };
}

/** Some servers reject texts without any word. */
function partsOf(content: CompletionMessage["content"]): readonly ContentPart[] {
  const parts = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
  return parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
}

/** Parts of text alone as a string, which every server accepts. */
function simplified(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  return parts.every((part) => part.type === "text") ? parts.map(({ text }) => text).join("\n\n") : parts;
}

function lawfulContent(
  { content }: CompletionMessage,
  isReadable: (modality: Modality) => boolean,
): string | readonly ContentPart[] {
  return simplified(partsOf(content).flatMap((part) => lawfulPart(part, isReadable)));
}

/** Services accept only text as the result of a tool. */
function resultText(parts: readonly ContentPart[]): string {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts.length > 0) return texts.join("\n");
  return parts.some(({ type }) => type !== "text") ? onlyMedia : noOutput;
}

/** The part as what its bytes are, or a note if the service has no form for it or the model can't read it. */
function lawfulPart(part: ContentPart, isReadable: (modality: Modality) => boolean): readonly ContentPart[] {
  if (part.type === "text") return [part];
  const known = typedPart(part);
  const name = part.title === undefined ? "" : ` “${part.title}”`;
  const note = (why: string): readonly ContentPart[] => [
    { type: "text", text: `(The ${part.type}${name} was left out because ${why}.)` },
  ];
  if (typeof known === "string") return note(known);
  return isReadable(known.type) ? [known] : note(`this model doesn't support ${known.type} input`);
}

/** The part with the type of its bytes, whatever was declared; otherwise why it can't be sent. */
function typedPart(part: Exclude<ContentPart, { type: "text" }>): typeof part | string {
  const { data, title } = part;
  if (data === "") return "it is empty";
  const kind = readBase64Kind(data);
  const named = title === undefined ? {} : { title };
  if (kind.kind === "image") return { type: "image", mediaType: kind.mediaType, data, ...named };
  if (kind.kind === "audio" && kind.format !== undefined)
    return { type: "audio", format: kind.format, data, ...named };
  if (kind.kind === "other" && kind.name === undefined)
    return `its bytes aren't those of ${part.type === "image" ? "an image" : "audio"}, whatever its type says`;
  return `its format, ${kind.kind === "other" ? kind.name : "a kind of audio"}, can't be sent`;
}
