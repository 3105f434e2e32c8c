import { t } from "@vscode/l10n";
import type { CompletionMessage, ContentPart } from "../../conversation/completion.ts";
import type { Omission, TooLongPolicy } from "../../conversation/tooLong.ts";
import { countMessage, countReturned, totalTokens } from "./countTokens.ts";
import type { TokenCounter } from "./countTokens.ts";

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

/**
 * Leaves out what is necessary for the messages to fit: whole turns, the oldest first, or the files of earlier turns
 * before them. System messages and the last turn always stay; what is too long on its own is sent unchanged.
 */
export function fitMessages(
  messages: readonly CompletionMessage[],
  { limit, count, model }: FitBudget,
  policy: TooLongPolicy,
): FittedMessages {
  const size = (message: CompletionMessage): number => tokensOf(message, count, model);
  const total = sum(messages.map(size));
  if (total <= limit) return { messages };
  const withoutFiles = policy === "files" ? dropFiles(messages, total - limit, size) : { messages, files: 0 };
  const left = sum(withoutFiles.messages.map(size));
  const { kept, turns } = dropTurns(withoutFiles.messages, left - limit, size);
  const omitted = { turns, files: withoutFiles.files, tokens: total - sum(kept.map(size)) };
  return turns === 0 && omitted.files === 0 ? { messages } : { messages: kept, omitted };
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

function tokensOf(message: CompletionMessage, count: TokenCounter, model: string | undefined): number {
  const { content, toolCalls } = message;
  const parts =
    typeof content === "string" ? { text: content, attachments: [] } : { text: "", attachments: content };
  const returned = countReturned(message, model, count);
  return (
    returned +
    totalTokens(
      countMessage({ ...parts, ...(toolCalls === undefined ? {} : { toolCalls }) }, "history", count),
    )
  );
}

/** Estimated number of tokens of the messages. */
export function countMessages(
  messages: readonly CompletionMessage[],
  count: TokenCounter,
  model?: string,
): number {
  return sum(messages.map((message) => tokensOf(message, count, model)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
