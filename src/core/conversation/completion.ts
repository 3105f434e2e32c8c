import type { ServiceError, TokenCounts } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Adaptation } from "./adaptations.ts";
import type { RequestPurpose } from "./requestPurpose.ts";
import type { Source } from "./sources.ts";
import type { Omission, TooLongPolicy } from "./tooLong.ts";

/** Interface section 2.2 shows `user`; the others are the common ones. */
export type Role = "system" | "user" | "assistant" | "tool";

/** A text of its own in a message, such as an attached file. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** What the user attached, such as a path with its lines. It is for the page only and isn't sent to the service. */
  readonly title?: string;
}

/** An image, as base64 without the `data:` prefix. */
export interface ImagePart {
  readonly type: "image";
  /** Such as `image/png`. */
  readonly mediaType: string;
  readonly data: string;
  /** The name of its file. It is for the page only and isn't sent to the service. */
  readonly title?: string;
}

/** Audio, as base64 (interface section 2.2: a content part of type `input_audio`). */
export interface AudioPart {
  readonly type: "audio";
  readonly format: "wav" | "mp3";
  readonly data: string;
  /** The name of its file. It is for the page only and isn't sent to the service. */
  readonly title?: string;
}

/** One piece of a message. Text, images, and audio are sent in the order in which the user attached them. */
export type ContentPart = TextPart | ImagePart | AudioPart;

/** What a model must support for a part that isn't text. */
export type Modality = Exclude<ContentPart["type"], "text">;

/** A function call that the model requested; `arguments` is JSON text as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Further fields of the call that are sent back to the provider they came from, such as a thought signature. */
  readonly extra?: JsonObject;
}

/**
 * What a provider expects back, unchanged, with a message that its model wrote. Reasoning models use it to continue
 * their reasoning after a tool call. It is sent only to the same model at the same address.
 */
export interface ProviderFields {
  /** Includes `/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** The field names that contained the message's reasoning as text, such as `reasoning_content`. */
  readonly reasoningNames?: readonly string[];
  /**
   * Further fields of the message as received, such as `reasoning_details`; `content` contains those parts of it that
   * are reasoning.
   */
  readonly members?: JsonObject;
}

/** One message of a request (interface section 2.2). */
export interface CompletionMessage {
  readonly role: Role;
  readonly content: string | readonly ContentPart[];
  readonly name?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
  /** The model's earlier reasoning; sent only if `providerFields` name the receiver. */
  readonly reasoning?: string;
  readonly providerFields?: ProviderFields;
}

/** A chat completion request (interface section 2.1). */
export interface CompletionRequest {
  readonly model: string;
  readonly messages: readonly CompletionMessage[];
  readonly maxTokens?: number;
  readonly stream: boolean;
  /** Any other parameter, added to the body unchanged (interface section 4.1, rule 3). */
  readonly parameters?: JsonObject;
  /** What may be left out if the messages don't fit; not sent. */
  readonly whenTooLong?: TooLongPolicy;
  /** The same request was rejected as too long, with these numbers, so less of it has to be sent. Not sent itself. */
  readonly shorten?: TokenCounts;
  /** What the model has just rejected. It is remembered once a request without it succeeds. Not sent itself. */
  readonly adaptations?: readonly Adaptation[];
}

/**
 * Token counts; each is absent if the server doesn't report it. Tokens that were read from or written to a cache are
 * included in the prompt, and reasoning in the completion.
 */
export interface Usage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly totalTokens?: number;
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** What the service charges, as it reports it, in the currency of its prices. */
  readonly cost?: number;
}

/**
 * One event of a completion. A stream that ends normally has ended with a finish reason or `[DONE]`; otherwise it
 * throws a ServiceError (`truncated` if the body just stopped).
 */
export type CompletionEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | {
      readonly type: "toolCall";
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      /** Fragment of the JSON text of the arguments; may be empty. */
      readonly arguments: string;
      /** Further fields of the call that are sent back to its provider. */
      readonly extra?: JsonObject;
    }
  /**
   * All text so far was reasoning whose opening tag is missing, except for its last `dropped` UTF-16 units, which were
   * the closing tag.
   */
  | { readonly type: "reasoningEnd"; readonly dropped: number }
  | ({ readonly type: "providerFields" } & ProviderFields)
  | { readonly type: "usage"; readonly usage: Usage }
  /** The pages that the response cites, once all of them are known. */
  | { readonly type: "sources"; readonly sources: readonly Source[] }
  /**
   * A finish reason arrived and nothing has followed for a moment: the response looks finished, but more may follow.
   */
  | { readonly type: "settling"; readonly reason: string | null }
  /** The last event. `reason` is null if only `[DONE]` indicated that the response is complete. */
  | { readonly type: "finish"; readonly reason: string | null };

/** An attempt failed and another one follows; shown to the user with a countdown. */
export interface RetryNotice {
  /** The upcoming attempt; the first retry is attempt 2. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly waitMs: number;
  /** Why the last attempt failed. */
  readonly error: ServiceError;
  /** Ends the wait. */
  retryNow(): void;
}

/**
 * The wire events of one completion, in order. Each function is called at the moment of its event. Nothing reported
 * contains a credential.
 */
export interface ExchangeObserver {
  /** A request is about to be sent. Called for each attempt. */
  onRequest(request: SentRequest): void;
  onConnection(facts: ConnectionFacts): void;
  /** The socket is open, after any proxy and TLS handshake. Not called for a reused connection. */
  onConnected?(): void;
  /** The request is being written. */
  onSent?(): void;
  /** The headers have arrived, with any status. */
  onHead(head: ResponseHead): void;
  /** Some bytes of the body have arrived; the events that follow are parsed from them. */
  onBytes?(count: number): void;
  onEvent(event: CompletionEvent): void;
  /** The attempt has failed. `waitMs` is absent if there won't be another one. */
  onFailure(error: unknown, waitMs?: number): void;
  /** Nothing follows this call. */
  onEnd(outcome: ExchangeOutcome): void;
}

/** Who sends a request, for the usage records. */
export interface RequestSender {
  /** The ID of another extension that uses our models. */
  readonly extension?: string;
  readonly conversationId?: string;
  /** The user has decided to exceed the budget with this request. */
  readonly mayExceedBudget?: boolean;
}

/** What a caller may want to observe besides the completion events. */
export interface CompletionObserver {
  /** A temporary failure: another attempt follows after a wait. */
  onRetry?(notice: RetryNotice): void;
  /** Something was left out of the request. What is absent from `omission` stays as reported before. */
  onOmitted?(omission: Partial<Omission>): void;
  /** The response headers have arrived, so text will follow. */
  onResponse?(response: { readonly requestId?: string }): void;
  /** The message that the response becomes. Absent if it isn't shown to the user, such as a title. */
  readonly messageId?: string;
  /** Why the request is sent; a response of the conversation by default. */
  readonly purpose?: RequestPurpose;
  /** Who sends the request; the user in this window's chat by default. */
  readonly sender?: RequestSender;
  /** Observes the wire traffic, without secrets. */
  readonly exchange?: ExchangeObserver;
}

/** One request in progress. */
export interface CompletionRun {
  /** Can be iterated only once. Ends without an error after `stop`. */
  readonly events: AsyncIterable<CompletionEvent>;
  /** Called when the user stops the response: closes the socket at once and ends any wait. Not an error. */
  stop(): void;
}

/** Port: the inference service as used by the chat session. */
export interface CompletionPort {
  /** Sends the request. Every failure, even of preparing it, is thrown by the iteration of the events. */
  complete(request: CompletionRequest, observer: CompletionObserver): CompletionRun;
}

/**
 * A model that the service offers (`GET /v1/models`). If the server doesn't report a capability, it is undefined rather
 * than false.
 */
export interface Model {
  /** `<organization>/<model_name>` (interface section 1). */
  readonly id: string;
  readonly name?: string;
  readonly supportsImages?: boolean;
  readonly supportsAudio?: boolean;
  readonly supportsTools?: boolean;
  /** Whether the effort of its reasoning can be set. */
  readonly supportsReasoning?: boolean;
  /** In tokens. */
  readonly contextLength?: number;
  /** The longest response that the server reports, in tokens. */
  readonly maxOutputTokens?: number;
  /** As the server publishes it. */
  readonly price?: Price;
}

/** The price per million tokens. A missing price is unknown, which isn't the same as zero. */
export interface Price {
  readonly input?: number;
  /** For tokens that were in the service's cache; `input` if absent. */
  readonly cachedInput?: number;
  /** For tokens that are written to the cache; `input` if absent. */
  readonly cacheWrite?: number;
  readonly output?: number;
  /** ISO 4217, such as `EUR`. */
  readonly currency: string;
}

/** Lowercase header names with their values; credentials are redacted. */
export type Headers = Readonly<Record<string, string>>;

/** A request as it was sent, without anything that must stay secret. */
export interface SentRequest {
  readonly method: string;
  /** Without user info; query values that contain credentials are replaced. */
  readonly url: string;
  readonly headers: Headers;
  /** The JSON text exactly as sent. */
  readonly body: string;
}

/** The status and headers of a response. */
export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: Headers;
  readonly requestId?: string;
}

/** The connection that a request used. */
export interface ConnectionFacts {
  /** Whether the connection already existed from an earlier request. */
  readonly isReused: boolean;
  /** Origin of the proxy, if there is one. */
  readonly proxy?: string;
}

/** `streaming`: the exchange was still in progress when it was read. */
export type ExchangeOutcome = "streaming" | "complete" | "stopped" | "failed";
