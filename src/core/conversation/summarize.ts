import { t } from "@vscode/l10n";
import type {
  CompletionMessage,
  CompletionPort,
  CompletionRun,
  ContentPart,
  Modality,
} from "./completion.ts";
import { completionMessages } from "./completionMessages.ts";
import type { Message } from "./conversation.ts";
import { startOf } from "../kernel/foreignText.ts";
import { ServiceError } from "../kernel/errors.ts";
import type { TokenCounts } from "../kernel/errors.ts";

interface SummaryOptions {
  /** The model that writes the summary. */
  readonly model: string;
  /** The counts when the conversation was rejected as too long, if the server reports them. */
  readonly tokens?: TokenCounts;
}

/** The summary that a new conversation continues with. */
export interface Summary {
  readonly text: string;
  /** Number of oldest messages left out because they did not fit. */
  readonly leftOut: number;
}

/** A summary in progress. */
interface SummaryRun {
  /** Undefined after a stop. Rejects with a ServiceError if no summary was received. */
  readonly summary: Promise<Summary | undefined>;
  stop(): void;
}

/** The prompt for the model; not a text for the user. */
const instruction =
  "Summarize the following conversation so that it can be continued from your summary alone. Keep every fact, name, " +
  "number, decision, open question and piece of code that later messages may need. Write in the language of the " +
  "conversation. Return the summary alone.";

/** A conservative estimate of UTF-16 units per token, and the share of the context window that the request may use. */
const [unitsPerToken, usedShare] = [2.5, 0.6];
const mostAttempts = 6;
/** UTF-16 units of a transcript below which retrying with less isn't worthwhile. */
const shortest = 200;
/** Maximum UTF-16 units of a tool's arguments or result, and of an attached file, in the transcript. */
const [longestToolText, longestFile] = [2_000, 10_000];

/**
 * Has a model summarize these messages. If they are too long for one request, the oldest are left out until the rest
 * fits.
 */
export function summarize(
  completions: CompletionPort,
  messages: readonly Message[],
  options: SummaryOptions,
): SummaryRun {
  let run: CompletionRun | undefined;
  let isStopped = false;
  async function attempt(transcript: string): Promise<string> {
    const content = `${instruction}\n\n${transcript}`;
    run = completions.complete(
      { model: options.model, messages: [{ role: "user", content }], stream: true },
      { purpose: "summary" },
    );
    let text = "";
    for await (const event of run.events) {
      if (event.type === "text") text += event.text;
      if (event.type === "reasoningEnd") text = "";
    }
    return text.trim();
  }
  async function write(): Promise<Summary | undefined> {
    const entries = completionMessages(messages).map(entryOf);
    const total = entries.reduce((sum, entry) => sum + entry.length, 0);
    let room = firstRoom(total, options.tokens);
    for (let count = 1; ; count++) {
      const { transcript, leftOut } = newest(entries, room);
      try {
        const text = await attempt(transcript);
        if (isStopped) return undefined;
        if (text === "") throw noSummary();
        return { text, leftOut };
      } catch (error) {
        if (isStopped) return undefined;
        const isTooLong = error instanceof ServiceError && error.reason === "contextLength";
        if (!isTooLong || count === mostAttempts || transcript.length <= shortest) throw error;
        room = Math.floor(transcript.length / 2);
      }
    }
  }
  return {
    summary: write(),
    stop() {
      isStopped = true;
      run?.stop();
    },
  };
}

/** UTF-16 units to start with: everything, unless the server has said how much is too much. */
function firstRoom(total: number, { limit }: TokenCounts = {}): number {
  return limit === undefined ? total : Math.min(total, Math.floor(limit * unitsPerToken * usedShare));
}

/** The newest entries that fit; if not even the newest one does, its beginning. */
function newest(
  entries: readonly string[],
  room: number,
): { readonly transcript: string; readonly leftOut: number } {
  let first = entries.length;
  let left = room;
  while (first > 0 && (entries[first - 1]?.length ?? 0) <= left) left -= entries[--first]?.length ?? 0;
  if (first < entries.length || first === 0)
    return { transcript: entries.slice(first).join("\n\n"), leftOut: first };
  return { transcript: startOf(entries.at(-1) ?? "", room), leftOut: entries.length - 1 };
}

function entryOf({ role, content, toolCalls = [] }: CompletionMessage): string {
  const text = typeof content === "string" ? content : content.map(partText).join("\n");
  const calls = toolCalls.map(
    (call) => `[calls ${call.name} with ${startOf(call.arguments, longestToolText)}]`,
  );
  const shown = role === "tool" ? startOf(text, longestToolText) : text;
  return `<${role}>\n${[shown, ...calls].filter((line) => line !== "").join("\n")}\n</${role}>`;
}

const partNotes: Readonly<Record<Modality, string>> = {
  image: "[an image]",
  audio: "[an audio recording]",
};

function partText(part: ContentPart): string {
  if (part.type !== "text") return partNotes[part.type];
  if (part.title === undefined) return part.text;
  const cut = part.text.length > longestFile ? "\n[the rest of the file is left out]" : "";
  return `[the file ${part.title}]\n${startOf(part.text, longestFile)}${cut}`;
}

function noSummary(): ServiceError {
  return new ServiceError({
    reason: "service",
    message: t("The model returned no summary. Retry, or choose another model."),
  });
}
