import { elideMedia } from "./jsonText.ts";
import type { Attempt, Exchange } from "./exchange.ts";
import { ExchangeRecorder } from "./exchangeRecorder.ts";
import type { CompletionPort } from "../../conversation/completion.ts";
import { defaultPurpose } from "../../conversation/requestPurpose.ts";
import type { RequestPurpose } from "../../conversation/requestPurpose.ts";

/** Port: exchanges on disk. Both methods are best effort: losing an exchange never costs a response. */
export interface ExchangeStore {
  /** Empty if nothing is stored for this message. */
  load(conversationId: string, messageId: string): Promise<readonly Exchange[]>;
  save(conversationId: string, messageId: string, exchanges: readonly Exchange[]): Promise<void>;
}

interface ExchangeLogContext {
  readonly store: ExchangeStore;
  /** Milliseconds since 1970. */
  now(): number;
  /** Monotonic milliseconds with fractions. */
  monotonic(): number;
  /** An exchange of this message is complete. */
  onKept?(conversationId: string, messageId: string): void;
  reportError(error: unknown): void;
  /** UTF-16 units of bodies that are kept in memory as sent; at least one response is always kept. */
  readonly maxBodies?: number;
  /** Whether the content of requests is stored; absent means yes. Everything else about them always is. */
  keepsContent?(): boolean;
  /** The body of a request without known credentials, which a message may contain. By default, it is kept as sent. */
  mask?(body: string): string;
}

/** A response with several rounds has one exchange for each; only this many of the latest are kept. */
const maxExchanges = 20;
const usualMaxBodies = 16 * 1024 * 1024;

/** The exchanges of every response: the latest ones as sent, all of them on disk without images and audio. */
export class ExchangeLog {
  readonly #context: ExchangeLogContext;
  /** By conversation and message ID, the one written last at the end. */
  readonly #recent = new Map<string, readonly Exchange[]>();
  readonly #live = new Map<string, ExchangeRecorder>();
  #keeping: Promise<void> = Promise.resolve();
  #saving: Promise<void> = Promise.resolve();
  /** What isn't on disk yet, by the same IDs. The store may be locked for a minute, and nothing waits for that. */
  readonly #unsaved = new Map<string, readonly Exchange[]>();

  constructor(context: ExchangeLogContext) {
    this.#context = context;
  }

  /** Observes one completion and records it. */
  record(
    conversationId: string,
    messageId: string,
    model: string,
    purpose: RequestPurpose = defaultPurpose,
  ): ExchangeRecorder {
    const key = keyOf(conversationId, messageId);
    const recorder = new ExchangeRecorder({
      ...{ model, purpose },
      startedAt: this.#context.now(),
      monotonic: () => this.#context.monotonic(),
      onBegun: () => this.#live.set(key, recorder),
      onRecorded: (exchange) => {
        this.#live.delete(key);
        this.#keeping = this.#keeping.then(() => this.#keep(conversationId, messageId, exchange));
      },
    });
    return recorder;
  }

  /**
   * The exchanges of a message, the latest last, including the one in progress. Not those for other purposes: an
   * imported message may have any ID.
   */
  async read(conversationId: string, messageId: string): Promise<readonly Exchange[]> {
    await this.#keeping;
    const key = keyOf(conversationId, messageId);
    const kept = this.#recent.get(key) ?? (await this.#load(conversationId, messageId));
    const live = this.#live.get(key);
    const shown = this.#keepsContent ? kept : kept.map(withoutContent);
    const all = live === undefined ? shown : [...shown, live.exchange];
    return all.filter(({ purpose }) => purpose === defaultPurpose);
  }

  /** Resolves when every finished exchange is on disk. */
  async flush(): Promise<void> {
    await this.#keeping;
    await this.#saving;
  }

  /** The setting may change between two requests for the same message. */
  get #keepsContent(): boolean {
    return this.#context.keepsContent?.() !== false;
  }

  async #keep(conversationId: string, messageId: string, exchange: Exchange): Promise<void> {
    const key = keyOf(conversationId, messageId);
    const earlier = this.#recent.get(key) ?? (await this.#load(conversationId, messageId));
    const recorded = [...earlier, exchange].slice(-maxExchanges);
    const { mask = (body: string) => body } = this.#context;
    const all = recorded.map((one) => withBodies(one, this.#keepsContent ? mask : () => omittedContent));
    this.#recent.delete(key);
    this.#recent.set(key, all);
    this.#forgetOldest();
    this.#context.onKept?.(conversationId, messageId);
    this.#unsaved.set(key, all);
    this.#saving = this.#saving.then(async () => {
      await this.#save(conversationId, messageId, all);
      if (this.#unsaved.get(key) === all) this.#unsaved.delete(key);
    });
  }

  async #save(conversationId: string, messageId: string, exchanges: readonly Exchange[]): Promise<void> {
    try {
      await this.#context.store.save(conversationId, messageId, exchanges.map(withoutMedia));
    } catch (error) {
      this.#context.reportError(error);
    }
  }

  async #load(conversationId: string, messageId: string): Promise<readonly Exchange[]> {
    const unsaved = this.#unsaved.get(keyOf(conversationId, messageId));
    if (unsaved !== undefined) return unsaved;
    try {
      return await this.#context.store.load(conversationId, messageId);
    } catch (error) {
      this.#context.reportError(error);
      return [];
    }
  }

  #forgetOldest(): void {
    const { maxBodies = usualMaxBodies } = this.#context;
    let total = 0;
    for (const exchanges of this.#recent.values()) total += bodyLength(exchanges);
    for (const [key, exchanges] of this.#recent) {
      if (total <= maxBodies || this.#recent.size === 1) return;
      total -= bodyLength(exchanges);
      this.#recent.delete(key);
    }
  }
}

/** The ID under which requests for this purpose are recorded in place of a message's ID. */
export function hiddenId(purpose: RequestPurpose): string {
  return `purpose/${purpose}`;
}

function keyOf(conversationId: string, messageId: string): string {
  return `${conversationId}\n${messageId}`;
}

function bodyLength(exchanges: readonly Exchange[]): number {
  const bodies = new Set(exchanges.flatMap(({ attempts }) => attempts.map(({ request }) => request.body)));
  return [...bodies].reduce((sum, body) => sum + body.length, 0);
}

/** What is left of a body that isn't kept; no server receives it. */
export const omittedContent = "";

/** The exchange with everything that was measured, and without what was sent. */
export function withoutContent(exchange: Exchange): Exchange {
  return withBodies(exchange, () => omittedContent);
}

/** Attempts nearly always send the same body, so that each one is changed once. */
function withBodies(exchange: Exchange, change: (body: string) => string): Exchange {
  const changed = new Map<string, string>();
  const attempts = exchange.attempts.map((attempt): Attempt => {
    const { body } = attempt.request;
    const text = changed.get(body) ?? change(body);
    changed.set(body, text);
    return { ...attempt, request: { ...attempt.request, body: text } };
  });
  return { ...exchange, attempts };
}

/** A body that contains only text is kept exactly as it was sent. */
function withoutMedia(exchange: Exchange): Exchange {
  return withBodies(exchange, elideBody);
}

function elideBody(body: string): string {
  try {
    const { value, elided } = elideMedia(JSON.parse(body));
    return elided === 0 ? body : JSON.stringify(value);
  } catch {
    return body;
  }
}

/**
 * Wraps the port so that the wire traffic of this conversation is recorded: for its messages, and for other purposes.
 */
export function recordExchanges(
  port: CompletionPort,
  log: ExchangeLog,
  conversationId: string,
): CompletionPort {
  return {
    complete(request, observer) {
      const { purpose = defaultPurpose } = observer;
      const messageId = purpose === defaultPurpose ? observer.messageId : hiddenId(purpose);
      if (messageId === undefined) return port.complete(request, observer);
      const exchange = log.record(conversationId, messageId, request.model, purpose);
      return port.complete(request, { ...observer, exchange });
    },
  };
}
