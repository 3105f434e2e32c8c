import { elideMedia } from "./jsonText.ts";
import type { Attempt, Exchange } from "./exchange.ts";
import { ExchangeRecorder } from "./exchangeRecorder.ts";
import type { CompletionPort } from "../../conversation/completion.ts";

/** Port: exchanges on disk. Both methods are best effort: losing an exchange never costs a response. */
export interface ExchangeStore {
  /** Empty if nothing is stored for this message. */
  load(conversationId: string, messageId: string): Promise<readonly Exchange[]>;
  save(conversationId: string, messageId: string, exchanges: readonly Exchange[]): Promise<void>;
}

export interface ExchangeLogContext {
  readonly store: ExchangeStore;
  /** Milliseconds since 1970. */
  now(): number;
  /** Monotonic milliseconds with fractions. */
  monotonic(): number;
  /** An exchange of this message is complete. */
  onKept?(conversationId: string, messageId: string): void;
  reportError(error: unknown): void;
}

/** A response with several rounds has one exchange for each; only this many of the latest are kept. */
const maxExchanges = 20;
/** UTF-16 units of bodies that are kept in memory as sent; at least one response is always kept. */
const maxBodies = 16 * 1024 * 1024;

/** The exchanges of every response: the latest ones as sent, all of them on disk without images and audio. */
export class ExchangeLog {
  readonly #context: ExchangeLogContext;
  /** By message ID, the one written last at the end. */
  readonly #recent = new Map<string, readonly Exchange[]>();
  readonly #live = new Map<string, ExchangeRecorder>();
  #saving: Promise<void> = Promise.resolve();

  constructor(context: ExchangeLogContext) {
    this.#context = context;
  }

  /** Observes one completion and records it. */
  record(conversationId: string, messageId: string, model: string): ExchangeRecorder {
    const recorder = new ExchangeRecorder({
      model,
      startedAt: this.#context.now(),
      monotonic: () => this.#context.monotonic(),
      onBegun: () => this.#live.set(messageId, recorder),
      onRecorded: (exchange) => {
        this.#live.delete(messageId);
        this.#saving = this.#saving.then(() => this.#keep(conversationId, messageId, exchange));
      },
    });
    return recorder;
  }

  /** The exchanges of a message, the latest last, including the one in progress. */
  async read(conversationId: string, messageId: string): Promise<readonly Exchange[]> {
    await this.#saving;
    const kept = this.#recent.get(messageId) ?? (await this.#load(conversationId, messageId));
    const live = this.#live.get(messageId);
    return live === undefined ? kept : [...kept, live.exchange];
  }

  /** Resolves when every finished exchange is on disk. */
  flush(): Promise<void> {
    return this.#saving;
  }

  async #keep(conversationId: string, messageId: string, exchange: Exchange): Promise<void> {
    const earlier = this.#recent.get(messageId) ?? (await this.#load(conversationId, messageId));
    const all = [...earlier, exchange].slice(-maxExchanges);
    this.#recent.delete(messageId);
    this.#recent.set(messageId, all);
    this.#forgetOldest();
    this.#context.onKept?.(conversationId, messageId);
    try {
      await this.#context.store.save(conversationId, messageId, all.map(withoutMedia));
    } catch (error) {
      this.#context.reportError(error);
    }
  }

  async #load(conversationId: string, messageId: string): Promise<readonly Exchange[]> {
    try {
      return await this.#context.store.load(conversationId, messageId);
    } catch (error) {
      this.#context.reportError(error);
      return [];
    }
  }

  #forgetOldest(): void {
    let total = 0;
    for (const exchanges of this.#recent.values()) total += bodyLength(exchanges);
    for (const [messageId, exchanges] of this.#recent) {
      if (total <= maxBodies || this.#recent.size === 1) return;
      total -= bodyLength(exchanges);
      this.#recent.delete(messageId);
    }
  }
}

function bodyLength(exchanges: readonly Exchange[]): number {
  const bodies = new Set(exchanges.flatMap(({ attempts }) => attempts.map(({ request }) => request.body)));
  return [...bodies].reduce((sum, body) => sum + body.length, 0);
}

/** A body that contains only text is kept exactly as it was sent. */
function withoutMedia(exchange: Exchange): Exchange {
  const elided = new Map<string, string>();
  const attempts = exchange.attempts.map((attempt): Attempt => {
    const { body } = attempt.request;
    const text = elided.get(body) ?? elideBody(body);
    elided.set(body, text);
    return { ...attempt, request: { ...attempt.request, body: text } };
  });
  return { ...exchange, attempts };
}

function elideBody(body: string): string {
  try {
    const { value, elided } = elideMedia(JSON.parse(body));
    return elided === 0 ? body : JSON.stringify(value);
  } catch {
    return body;
  }
}

/** Wraps the port so that the wire traffic for the messages of this conversation is recorded. */
export function recordExchanges(
  port: CompletionPort,
  log: ExchangeLog,
  conversationId: string,
): CompletionPort {
  return {
    complete(request, observer) {
      const { messageId } = observer;
      if (messageId === undefined) return port.complete(request, observer);
      const exchange = log.record(conversationId, messageId, request.model);
      return port.complete(request, { ...observer, exchange });
    },
  };
}
