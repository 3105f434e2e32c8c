import type {
  CompletionMessage,
  CompletionPort,
  CompletionRequest,
  ContentPart,
  Modality,
  TextPart,
} from "../../conversation/completion.ts";
import type { Omission, TooLongPolicy } from "../../conversation/tooLong.ts";
import type { TokenCounts } from "../../kernel/errors.ts";
import { countParameters } from "./countTokens.ts";
import type { TokenCounter } from "./countTokens.ts";
import { countMessages, fitMessages } from "./fitMessages.ts";
import type { FittedMessages } from "./fitMessages.ts";

interface AttachedMedia {
  readonly messages: readonly CompletionMessage[];
  /** How many aren't sent to the model. */
  readonly leftOut: number;
}

/**
 * Services accept only text as the result of a tool. Its images follow the results in a separate message, as if the
 * user had sent them; so does whatever else isn't text. For a model that isn't known to support it, a note says that it
 * is left out. The texts are for models and are never translated.
 */
function attachToolMedia(
  messages: readonly CompletionMessage[],
  isSupported: (modality: Modality) => boolean,
): AttachedMedia {
  let leftOut = 0;
  const attached: CompletionMessage[] = [];
  let waiting: readonly ContentPart[] = [];
  for (const [index, message] of messages.entries()) {
    const { texts, media } = split(message);
    if (message.role !== "tool" || media.length === 0) attached.push(message);
    else {
      const sent = media.filter(({ type }) => isSupported(type));
      const note = sent.length === media.length ? [] : [unseen];
      attached.push({ ...message, content: [...texts, ...note].join("\n") });
      waiting = [...waiting, ...sent];
      leftOut += media.length - sent.length;
    }
    // Nothing may come between the results of one response's calls.
    if (waiting.length === 0 || messages[index + 1]?.role === "tool") continue;
    attached.push({ role: "user", content: [{ type: "text", text: heading }, ...waiting] });
    waiting = [];
  }
  return { messages: attached, leftOut };
}

const heading = "The images returned by the tool calls above, in order:";
const unseen = "(Omitted because the model may not support image input.)";

function split({ content }: CompletionMessage): {
  readonly texts: readonly string[];
  readonly media: readonly Exclude<ContentPart, TextPart>[];
} {
  if (typeof content === "string") return { texts: [content], media: [] };
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return { texts, media: content.filter((part) => part.type !== "text") };
}

interface FittingContext {
  /** In tokens; undefined if not known. */
  contextLength(model: string): number | undefined;
  /** Whether the model is known to support this modality. */
  supports(model: string, modality: Modality): boolean;
  /** Whether the model is known not to support tools. */
  lacksTools(model: string): boolean;
  /** What is left out if the conversation itself doesn't specify it; undefined means nothing. */
  policy(): TooLongPolicy | undefined;
  count: TokenCounter;
  /** The factor to apply to estimates for this model. */
  factor(model: string): number;
}

/**
 * Requests that the model accepts: they fit its context window, as far as it is known and the user has allowed
 * omissions, images from tools are placed where the model can use them, and tools that it doesn't support are left out.
 */
export function fittingCompletions(completions: CompletionPort, context: FittingContext): CompletionPort {
  /** By model: limits that servers reported when they rejected a request. */
  const knownLimits = new Map<string, number>();
  const known: FittingContext = {
    ...context,
    contextLength: (model) => smaller(context.contextLength(model), knownLimits.get(model)),
  };
  return {
    complete(request, observer) {
      const { whenTooLong = context.policy(), shorten, ...whole } = request;
      const rest = context.lacksTools(whole.model) ? withoutTools(whole) : whole;
      if (shorten?.limit !== undefined) knownLimits.set(rest.model, shorten.limit);
      const fitted =
        shorten === undefined
          ? fit(rest, known, whenTooLong)
          : shortened(rest, known, whenTooLong ?? "oldest", shorten);
      const { messages, leftOut } = attachToolMedia(fitted.messages, (modality) =>
        context.supports(rest.model, modality),
      );
      const omitted = leftOut === 0 ? fitted.omitted : { ...nothing, ...fitted.omitted, images: leftOut };
      if (omitted !== undefined) observer.onOmitted?.(omitted);
      if (rest !== whole) observer.onOmitted?.({ tools: true });
      return completions.complete({ ...rest, messages }, observer);
    },
  };
}

const toolFields: ReadonlySet<string> = new Set(["tools", "tool_choice", "parallel_tool_calls"]);

/** The request without the tools that it offers; the same object if it offers none. */
function withoutTools(request: CompletionRequest): CompletionRequest {
  const { parameters = {} } = request;
  if (parameters["tools"] === undefined) return request;
  const kept = Object.entries(parameters).filter(([name]) => !toolFields.has(name));
  return { ...request, parameters: Object.fromEntries(kept) };
}

const nothing: Omission = { turns: 0, files: 0, tokens: 0 };

function smaller(first: number | undefined, second: number | undefined): number | undefined {
  return first === undefined || second === undefined ? (first ?? second) : Math.min(first, second);
}

function fit(
  request: CompletionRequest,
  context: FittingContext,
  policy: TooLongPolicy | undefined,
): FittedMessages {
  const limit = roomFor(request, context);
  if (policy === undefined || limit === undefined) return { messages: request.messages };
  return fitMessages(request.messages, { limit, count: context.count, model: request.model }, policy);
}

/** The estimated tokens that the messages may take; undefined if the model's limit isn't known. */
function roomFor({ model, parameters = {} }: CompletionRequest, context: FittingContext): number | undefined {
  const contextLength = context.contextLength(model);
  if (contextLength === undefined) return undefined;
  const maxTokens = parameters["max_tokens"];
  const room = contextLength - (typeof maxTokens === "number" ? maxTokens : 0);
  return Math.floor(room / context.factor(model)) - countParameters(parameters, context.count);
}

/**
 * The share of the limit that messages may use when the server has said how much is too much; the rest is for the
 * response.
 */
const usedShare = 0.9;

/**
 * Less than what was rejected. The server's numbers show how wrong our estimate was; without them, half as much is
 * sent.
 */
function shortened(
  request: CompletionRequest,
  context: FittingContext,
  policy: TooLongPolicy,
  { limit, requested }: TokenCounts,
): FittedMessages {
  const { messages, model, parameters = {} } = request;
  const { count } = context;
  const estimate = countMessages(messages, count, model);
  const offered = countParameters(parameters, count);
  const scaled =
    limit === undefined || requested === undefined || requested <= limit
      ? estimate / 2
      : ((estimate + offered) * limit * usedShare) / requested - offered;
  const room = roomFor(request, context) ?? Infinity;
  return fitMessages(messages, { limit: Math.floor(Math.min(scaled, room)), count, model }, policy);
}
