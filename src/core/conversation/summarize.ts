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
  /** Number of oldest messages left out because they didn't fit. */
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
  "Summarize the conversation above so that it can be continued from your summary alone. Keep every fact, name, " +
  "number, decision, open question and piece of code that later messages may need. Write in the language of the " +
  "conversation. Return the summary alone.";

const mostAttempts = 6;

/** Has a model summarize these messages. If they are too long for it, less is sent, as in any other request. */
export function summarize(
  completions: CompletionPort,
  messages: readonly Message[],
  { model, tokens }: SummaryOptions,
): SummaryRun {
  let run: CompletionRun | undefined;
  let isStopped = false;
  async function attempt(turns: readonly Turn[], shorten: TokenCounts | undefined): Promise<Summary> {
    let dropped = 0;
    run = completions.complete(
      {
        ...{ model, messages: requestOf(turns), stream: true, whenTooLong: "oldest" },
        ...(shorten === undefined ? {} : { shorten }),
      },
      { purpose: "summary", onOmitted: (omission) => (dropped = omission.turns ?? dropped) },
    );
    let text = "";
    for await (const event of run.events) {
      if (event.type === "text") text += event.text;
      if (event.type === "reasoningEnd") text = "";
    }
    if (text.trim() === "" && !isStopped) throw noSummary();
    return { text: text.trim(), leftOut: turns.slice(0, dropped).flat().length };
  }
  async function write(): Promise<Summary | undefined> {
    let turns = turnsOf(completionMessages(messages));
    let [leftOut, shorten] = [0, tokens];
    for (let count = 1; ; count++) {
      try {
        const summary = await attempt(turns, shorten);
        return isStopped ? undefined : { ...summary, leftOut: leftOut + summary.leftOut };
      } catch (error) {
        if (isStopped) return undefined;
        const isTooLong = error instanceof ServiceError && error.reason === "contextLength";
        const isShortest = turns.length === 1 && shorten !== undefined;
        if (!isTooLong || count === mostAttempts || isShortest) throw error;
        // Without the server's numbers, half of the turns is all that can be known to be less.
        const { tokens: counts } = error.facts;
        shorten = counts ?? (turns.length === 1 ? {} : undefined);
        const older = counts === undefined ? Math.floor(turns.length / 2) : 0;
        leftOut += turns.slice(0, older).flat().length;
        turns = turns.slice(older);
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

/** A user message and everything that followed it. */
type Turn = readonly CompletionMessage[];

function turnsOf(messages: readonly CompletionMessage[]): readonly Turn[] {
  const turns: CompletionMessage[][] = [];
  for (const message of messages) {
    if (message.role === "user" || turns.length === 0) turns.push([message]);
    else turns.at(-1)?.push(message);
  }
  return turns;
}

/** Calls become text: many servers accept them only together with the tools. The last turn is never left out. */
function requestOf(turns: readonly Turn[]): readonly CompletionMessage[] {
  const earlier = turns
    .slice(0, -1)
    .flatMap(([first, ...rest]): readonly CompletionMessage[] => [
      { role: "user", content: first === undefined ? [] : partsOf(first) },
      ...(rest.length === 0 ? [] : [{ role: "assistant", content: rest.flatMap(partsOf) } as const]),
    ]);
  const last = (turns.at(-1) ?? []).flatMap((message) => [heading(message), ...partsOf(message)]);
  return [...earlier, { role: "user", content: [...last, { type: "text", text: instruction }] }];
}

const heading = ({ role }: CompletionMessage): ContentPart => ({ type: "text", text: `[${role}]` });

/** All of them have titles, so that they are cut if they don't fit. */
function partsOf({ role, content, toolCalls = [] }: CompletionMessage): readonly ContentPart[] {
  const parts = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
  const calls = toolCalls.map((call) => `[calls ${call.name} with ${call.arguments}]`);
  return [...parts.map(partText), ...calls]
    .filter((text) => text !== "")
    .map((text) => ({ type: "text", title: role, text: role === "tool" ? `[result]\n${text}` : text }));
}

const partNotes: Readonly<Record<Modality, string>> = {
  image: "[an image]",
  audio: "[an audio recording]",
};

function partText(part: ContentPart): string {
  if (part.type !== "text") return partNotes[part.type];
  return part.title === undefined ? part.text : `[the file ${part.title}]\n${part.text}`;
}

function noSummary(): ServiceError {
  return new ServiceError({
    reason: "service",
    message: t("The model returned no summary. Retry, or choose another model."),
  });
}
