import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import type { CompletionRequest } from "../../core/conversation/completion.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { describeRequest } from "../errors/errorMessage.ts";
import { parseErrorDocument } from "../errors/errorJson.ts";
import { cleanServerText, parseErrorText } from "../errors/serverText.ts";
import { createReportedError, createResponseError, readRequestId } from "../http/errorResponse.ts";
import type { ErrorContext, ErrorHead } from "../http/errorResponse.ts";
import { filledFields } from "../../core/kernel/filledFields.ts";

/** How much of a response is read, and how long to wait for its end. */
export interface CompletionLimits {
  /** UTF-16 units of text, reasoning and tool calls. */
  readonly maxLength: number;
  /**
   * Idle milliseconds after a finish reason that end a response if its server neither sends `[DONE]` nor closes the
   * body.
   */
  readonly finishTimeoutMs: number;
}

/** 8 million characters are more than any model writes, and a server that is silent for 30 seconds has finished. */
export const defaultCompletionLimits: CompletionLimits = {
  maxLength: 8 * 1024 * 1024,
  finishTimeoutMs: 30_000,
};

/** More tool calls than this in one response are a mistake of the model, and each one slows down every later one. */
export const maxToolCalls = 256;

/** Maximum bytes of one event, or of a response that is not streamed: its text with escapes and its JSON. */
export function maxPieceBytes({ maxLength }: CompletionLimits): number {
  return maxLength * 2 + 64 * 1024;
}

/** Maximum bytes of a whole body; a stream of single tokens has about fifty times as many bytes as text. */
export function maxBodyBytes({ maxLength }: CompletionLimits): number {
  return maxLength * 64 + 1024 * 1024;
}

/** The errors of one response with a successful status; they all name the request and its ID. */
export interface CompletionErrors {
  /** An error that the server reported inside the response. */
  reported(value: unknown): ServiceError;
  /** An error in text that isn't an event, such as a page of a proxy after the last event; undefined if it isn't one. */
  reportedInText(text: string): ServiceError | undefined;
  /** A part of the body isn't valid JSON. */
  malformedPiece(): ServiceError;
  /**
   * The response exceeds the maximum length.
   * @param maxLength In UTF-16 units.
   */
  tooLarge(maxLength: number): ServiceError;
  /** The response has more than `max` tool calls. */
  tooManyToolCalls(max: number): ServiceError;
  /** The body ended, or was interrupted by `cause`, before the response was complete. */
  truncated(cause?: unknown): ServiceError;
  /** The service itself ended the response early, with this finish reason. */
  interrupted(finishReason: string): ServiceError;
  /** The response ended before it began. */
  nothing(): ServiceError;
  /** A body without a response. Includes its text if that is informative, such as a web page or plain text. */
  unreadableResponse(text?: string): ServiceError;
}

/** The errors of one response, with its status, its request and the server's request ID. */
export function createCompletionErrors(response: ErrorHead, context: ErrorContext): CompletionErrors {
  const requestId = readRequestId(response.headers, context.secrets);
  const request = filledFields({ request: describeRequest(context.method, context.url), requestId });

  const fail = (reason: "malformed" | "truncated", message: string, cause?: unknown): ServiceError =>
    new ServiceError({ reason, message, ...request }, cause);

  return {
    reported: (value) => createReportedError(response, value, context),
    reportedInText(text) {
      const { message = "" } = parseErrorText(text);
      if (message === "" || message.startsWith("{")) return undefined;
      return createReportedError(response, parseErrorDocument(text) ?? message, context);
    },
    malformedPiece: () =>
      fail(
        "malformed",
        t(
          "The inference service sent a chunk that isn't valid JSON. Everything received before it was kept.",
        ),
      ),
    tooLarge: (maxLength) =>
      fail(
        "truncated",
        t(
          "The response reached the limit of {0} MB and was ended. Everything received so far was kept.",
          formatNumber(Number((maxLength / 1024 / 1024).toFixed(2))),
        ),
      ),
    tooManyToolCalls: (max) =>
      fail(
        "truncated",
        max === 1
          ? t(
              "The model made more than 1 tool call in one response, so the response was ended. Everything received so far was kept. Retry, or select fewer tools.",
            )
          : t(
              "The model made more than {0} tool calls in one response, so the response was ended. Everything received so far was kept. Retry, or select fewer tools.",
              formatNumber(max),
            ),
      ),
    truncated: (cause) => fail("truncated", truncatedMessage(cause), cause),
    interrupted: (finishReason) =>
      fail(
        "truncated",
        t(
          "The service interrupted the response ({0}). The partial response was kept. Retry to get a complete one.",
          cleanServerText(finishReason, context.secrets),
        ),
      ),
    nothing: () =>
      fail(
        "truncated",
        t("The model returned an empty response. Send the message again, or choose another model."),
      ),
    unreadableResponse(text = "") {
      const stated = createResponseError(response, parseErrorText(text), text, context);
      const isStated = stated.reason !== "malformed" || stated.facts.serverMessage !== undefined;
      const native = nativeFormat(text);
      if (native === undefined && isStated && !binary.test(text)) return stated;
      const start = cleanServerText(text.slice(0, longestStart), context.secrets);
      return fail("malformed", formatMessage(native, start));
    },
  };
}

/**
 * Where servers find a mistake in the description of a tool. Sources: OpenAI and vLLM (`tools[1].function.parameters`),
 * Anthropic (`tools.1.custom.input_schema`), Google (`tools[0].function_declarations[1].parameters`).
 */
const toolPlace = /\btools(?:\[0\]\.function_?declarations\[(\d{1,4})\]|[[.](\d{1,4})\b)/i;

/** The error with the name of the tool whose description the server refuses by its position. */
export function namingTool(
  error: ServiceError,
  text: string,
  { parameters }: CompletionRequest,
): ServiceError {
  const tools = parameters?.["tools"];
  const [, inner, outer] = toolPlace.exec(text) ?? [];
  const tool: unknown = Array.isArray(tools) ? tools[Number(inner ?? outer)] : undefined;
  const name =
    isRecord(tool) && isRecord(tool["function"]) ? stringField(tool["function"], "name") : undefined;
  if (name === undefined || (error.reason !== "unsupportedParameter" && error.reason !== "badRequest"))
    return error;
  const message = t(
    "The service refuses the description of the tool “{0}”. Deselect this tool, and send the message again.",
    name,
  );
  return new ServiceError({ ...error.facts, reason: "badRequest", message });
}

/** Characters that no text has, or that stand for bytes that aren't text. */
const binary = /[\0-\x08\ufffd]/;
/** UTF-16 units of an unknown response that are shown. */
const longestStart = 200;

/** What only the native interface of a server or service sends. */
const nativeFormats: readonly (readonly [name: string, mark: string])[] = [
  ["Ollama", '"done":'],
  ["Text Generation Inference", '"generated_text":'],
  ["Triton", '"text_output":'],
  ["llama.cpp", '"tokens_predicted":'],
  ["Gemini", '"candidates":'],
  ["Bedrock", '"stopReason":'],
  ["Cohere", '"type":"content-'],
  ["Cohere", '"type":"message-'],
  ["Anthropic", '"type":"message'],
  ["the Responses API", '"type":"response.'],
  ["the Responses API", '"object":"response"'],
];

function nativeFormat(text: string): string | undefined {
  const compact = text.slice(0, 4_000).replaceAll('": ', '":');
  return nativeFormats.find(([, mark]) => compact.includes(mark))?.[0];
}

function formatMessage(native: string | undefined, start: string): string {
  if (binary.test(start))
    return t("The inference service returned data that isn't text. A proxy may have changed it.");
  return native === undefined
    ? t(
        "The inference service returned a response in an unknown format, which begins with “{0}”. Check the profile's base URL.",
        start,
      )
    : t(
        "The inference service returned a response in the native format of {0}. In the profile, set the base URL of its OpenAI-compatible API, which usually ends with “/v1”.",
        native,
      );
}

function truncatedMessage(cause: unknown): string {
  if (cause === undefined)
    return t(
      "The response ended without a finish reason and is probably truncated. The partial response was kept. Retry to get a complete one.",
    );
  return cause instanceof ServiceError
    ? t(
        "The connection was lost before the response was complete: {0} The partial response was kept. Retry to get a complete one.",
        cause.facts.message,
      )
    : t(
        "The connection was lost before the response was complete. The partial response was kept. Retry to get a complete one.",
      );
}
