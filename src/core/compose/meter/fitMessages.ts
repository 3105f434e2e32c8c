import { t } from "@vscode/l10n";
import type { CompletionMessage, ContentPart } from "../../conversation/completion.ts";
import type { Omission, TooLongPolicy } from "../../conversation/tooLong.ts";
import { boundDiff, fairShare } from "../editor/commitRequest.ts";
import { endOf, startOf } from "../../kernel/foreignText.ts";
import { countMessages } from "../../conversation/countTokens.ts";
import type { TokenCounter } from "../../conversation/countTokens.ts";

interface FitBudget {
  /** Tokens that the messages may take. */
  readonly limit: number;
  readonly count: TokenCounter;
  /** The requested model. It gets its own reasoning back. */
  readonly model?: string;
}

/** The messages that fit into the model's context. */
export interface FittedMessages {
  readonly messages: readonly CompletionMessage[];
  /** Absent if everything fit. */
  readonly omitted?: Omission;
}

/**
 * Messages that belong together: a user message with everything that followed it, or the messages before the first one.
 */
interface Turn {
  readonly messages: readonly CompletionMessage[];
  readonly tokens: number;
}

/** What may be left out: only what is too long is cut, or whole turns or files before that. */
export type FitPolicy = TooLongPolicy | "texts";

/**
 * Leaves out what is necessary for the messages to fit: whole turns, the oldest first, or the files of earlier turns
 * before them. System messages and the last turn always stay, but tool results and attachments that don't fit are cut
 * with a note. One that wouldn't fit even alone is cut regardless of the policy.
 */
export function fitMessages(
  messages: readonly CompletionMessage[],
  { limit, count, model }: FitBudget,
  policy: FitPolicy | undefined,
): FittedMessages {
  // Counting takes most of the time, so a message is counted once, however many steps need its size.
  const sizes = new Map<CompletionMessage, number>();
  const size = (message: CompletionMessage): number => {
    const known = sizes.get(message) ?? countMessages([message], count, model);
    sizes.set(message, known);
    return known;
  };
  const total = sum(messages.map(size));
  if (total <= limit) return { messages };
  const room = Math.floor(limit * usedShare);
  const oversized = messages
    .flatMap(cuttableTexts)
    .map(count)
    .filter((tokens) => tokens > limit);
  // Half of the context window remains for earlier turns, unless they need less.
  const share = Math.max(room / 2, room - (total - sum(oversized))) / Math.max(1, oversized.length);
  const short = cutTexts(messages, { longest: limit, to: share, count });
  const withoutFiles =
    policy === "files"
      ? dropFiles(short.messages, sum(short.messages.map(size)) - limit, size)
      : { ...short, files: 0 };
  const left = sum(withoutFiles.messages.map(size));
  const { kept, turns } =
    policy === "oldest" || policy === "files"
      ? dropTurns(withoutFiles.messages, left - limit, size)
      : { kept: withoutFiles.messages, turns: 0 };
  const excess = sum(kept.map(size)) - room;
  const rest =
    policy === undefined || excess <= limit - room
      ? { messages: kept, cut: 0 }
      : cutToFit(kept, excess, count);
  const cut = short.cut + rest.cut;
  const { files } = withoutFiles;
  if (turns + files + cut === 0) return { messages };
  const tokens = total - sum(rest.messages.map(size));
  return { messages: rest.messages, omitted: { turns, files, tokens, ...(cut === 0 ? {} : { cut }) } };
}

/** The share of the context window that texts are cut to; the rest is for the response and for errors of estimates. */
const usedShare = 0.85;
/** Tokens to which texts are cut at most: less doesn't make sense to a model. */
const fewestTokens = 100;

interface Cut {
  readonly messages: readonly CompletionMessage[];
  /** How many texts were cut. */
  readonly cut: number;
}

/** Cuts each of the texts to the same length, so that the shorter ones stay complete. */
function cutToFit(messages: readonly CompletionMessage[], excess: number, count: TokenCounter): Cut {
  const sizes = messages.flatMap(cuttableTexts).map(count);
  const share = fairShare(sizes, sum(sizes) - excess);
  return cutTexts(messages, { longest: share, to: share, count });
}

/** Texts that a user or a tool added as a whole. */
function cuttableTexts({ role, content }: CompletionMessage): readonly string[] {
  if (typeof content === "string") return role === "tool" ? [content] : [];
  return content.flatMap((part) =>
    part.type === "text" && (role === "tool" || isFile(part)) ? [part.text] : [],
  );
}

/** Cuts texts of more tokens than the longest allowed. */
function cutTexts(
  messages: readonly CompletionMessage[],
  { longest, to, count }: { readonly longest: number; readonly to: number; readonly count: TokenCounter },
): Cut {
  let cut = 0;
  const shorten = (text: string): string => {
    if (count(text) <= Math.max(longest, fewestTokens)) return text;
    cut++;
    return cutText(text, Math.max(to, fewestTokens), count);
  };
  const shortened = messages.map((message) => {
    if (cuttableTexts(message).length === 0) return message;
    const { role, content } = message;
    if (typeof content === "string") return { ...message, content: shorten(content) };
    const parts = content.map((part) =>
      part.type === "text" && (role === "tool" || isFile(part))
        ? { ...part, text: shorten(part.text) }
        : part,
    );
    return { ...message, content: parts };
  });
  return cut === 0 ? { messages, cut } : { messages: shortened, cut };
}

/** The text cut to about this many tokens: the longest files of a diff, otherwise the middle. The note is for models. */
function cutText(text: string, tokens: number, count: TokenCounter): string {
  let length = text.length;
  for (let attempt = 1; ; attempt++) {
    const shown = attempt === 1 ? text : cutTo(text, length);
    const size = count(shown);
    if (size <= tokens || attempt === mostCuts) return shown;
    length = Math.floor(Math.min(length, shown.length) * (tokens / size) * 0.97);
  }
}

/** Estimates differ along a text, so the first cut may not be enough. */
const mostCuts = 6;

function cutTo(text: string, length: number): string {
  if (text.includes("diff --git ")) return boundDiff(text, length);
  const [start, end] = [startOf(text, length * 0.7), endOf(text, length * 0.3)];
  const left = text.length - start.length - end.length;
  return `${start}\n[… ${left} characters were left out here because the text is too long for the model …]\n${end}`;
}

/** Replaces the files of earlier turns with a note that lists them. */
function dropFiles(
  messages: readonly CompletionMessage[],
  excess: number,
  size: (message: CompletionMessage) => number,
): { readonly messages: readonly CompletionMessage[]; readonly files: number } {
  const last = messages.findLastIndex(({ role }) => role === "user");
  let [toFree, files] = [excess, 0];
  const lighter = messages.map((message, index) => {
    if (index >= last || toFree <= 0 || typeof message.content === "string") return message;
    const dropped = message.content.filter(isFile).length;
    if (dropped === 0) return message;
    const next = { ...message, content: message.content.map(noteForFile) };
    toFree -= size(message) - size(next);
    files += dropped;
    return next;
  });
  return { messages: lighter, files };
}

function isFile(part: ContentPart): boolean {
  return part.type === "text" && part.title !== undefined;
}

function noteForFile(part: ContentPart): ContentPart {
  if (part.type !== "text" || part.title === undefined) return part;
  return { type: "text", text: t("[omitted to save space: {0}]", part.title) };
}

function dropTurns(
  messages: readonly CompletionMessage[],
  excess: number,
  size: (message: CompletionMessage) => number,
): { readonly kept: readonly CompletionMessage[]; readonly turns: number } {
  const system = messages.filter(({ role }) => role === "system");
  const turns = splitTurns(messages, size);
  let [first, toFree] = [0, excess];
  while (toFree > 0 && first < turns.length - 1) {
    toFree -= turns[first]?.tokens ?? 0;
    first++;
  }
  if (first === 0) return { kept: messages, turns: 0 };
  return { kept: [...system, ...turns.slice(first).flatMap((turn) => turn.messages)], turns: first };
}

function splitTurns(
  messages: readonly CompletionMessage[],
  size: (message: CompletionMessage) => number,
): readonly Turn[] {
  const turns: CompletionMessage[][] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    if (message.role === "user" || turns.length === 0) turns.push([message]);
    else turns.at(-1)?.push(message);
  }
  return turns.map((turn) => ({ messages: turn, tokens: sum(turn.map(size)) }));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
