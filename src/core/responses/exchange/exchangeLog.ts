import { elideMedia } from "./jsonText.ts";
import type { Attempt, Exchange } from "./exchange.ts";
import { ExchangeRecorder } from "./exchangeRecorder.ts";
import { defaultPurpose } from "../../conversation/requestPurpose.ts";
import type { RequestPurpose } from "../../conversation/requestPurpose.ts";
import { Listeners } from "../../kernel/listeners.ts";

/** What a recorded request belongs to. */
export interface ExchangeOwner {
  /** The ID of its usage record. */
  readonly id: string;
  /** The conversation that it was sent for, if it is one of ours. */
  readonly conversationId?: string;
  /** The message that shows the response. */
  readonly messageId?: string;
}

/** An exchange and what it belongs to. */
export interface KeptExchange {
  readonly owner: ExchangeOwner;
  readonly exchange: Exchange;
}

/** Port: exchanges on disk. All methods are best effort: losing an exchange never costs a response. */
export interface ExchangeStore {
  /** Undefined if nothing readable is stored for this usage record. */
  find(id: string): Promise<KeptExchange | undefined>;
  /** The latest ones of a message, the last one at the end. */
  ofMessage(conversationId: string, messageId: string): Promise<readonly KeptExchange[]>;
  save(owner: ExchangeOwner, exchange: Exchange): Promise<void>;
}

interface ExchangeLogContext {
  readonly store: ExchangeStore;
  /** Milliseconds since 1970. */
  now(): number;
  /** Monotonic milliseconds with fractions. */
  monotonic(): number;
  reportError(error: unknown): void;
  /** Whether the content of this request is stored; absent means yes. Everything else about it always is. */
  keepsContent?(owner: ExchangeOwner): boolean;
  /** The body of a request without known credentials, which a message may contain. By default, it is kept as sent. */
  mask?(body: string, owner: ExchangeOwner): string;
}

/** UTF-16 units of bodies that are kept in memory as sent; at least one request is always kept. */
const maxBodies = 16 * 1024 * 1024;

/** The exchanges of every request: the latest ones as sent, all of them on disk without images and audio. */
export class ExchangeLog {
  readonly #context: ExchangeLogContext;
  /** By usage record, the one written last at the end. */
  readonly #recent = new Map<string, KeptExchange>();
  readonly #live = new Map<string, KeptExchange>();
  readonly #kept = new Listeners<ExchangeOwner>();
  #saving: Promise<void> = Promise.resolve();
  /** What isn't on disk yet. The store may be locked for a minute, and nothing waits for that. */
  readonly #unsaved = new Map<string, KeptExchange>();

  constructor(context: ExchangeLogContext) {
    this.#context = context;
  }

  /** Observes one request and records it. */
  record(owner: ExchangeOwner, model: string, purpose: RequestPurpose = defaultPurpose): ExchangeRecorder {
    const recorder = new ExchangeRecorder({
      ...{ model, purpose },
      startedAt: this.#context.now(),
      monotonic: () => this.#context.monotonic(),
      onBegun: () =>
        this.#live.set(owner.id, {
          owner,
          get exchange() {
            return recorder.exchange;
          },
        }),
      onRecorded: (exchange) => {
        this.#live.delete(owner.id);
        this.#keep(owner, exchange);
      },
    });
    return recorder;
  }

  /** Calls the listener whenever a request was recorded. Returns a function that stops this. */
  onKept(listener: (owner: ExchangeOwner) => void): () => void {
    return this.#kept.add(listener);
  }

  /** The exchanges of a message, the latest last, including the one in progress. */
  async ofMessage(conversationId: string, messageId: string): Promise<readonly Exchange[]> {
    const stored = await this.#load((store) => store.ofMessage(conversationId, messageId));
    const all = new Map((stored ?? []).map((kept) => [kept.owner.id, kept]));
    for (const held of [this.#recent, this.#unsaved, this.#live])
      for (const [id, kept] of held)
        if (kept.owner.conversationId === conversationId && kept.owner.messageId === messageId)
          all.set(id, kept);
    return [...all.values()]
      .map((kept) => this.#shown(kept))
      .toSorted((left, right) => left.startedAt - right.startedAt);
  }

  /** The exchange of a usage record. */
  async find(id: string): Promise<Exchange | undefined> {
    const held = this.#recent.get(id) ?? this.#unsaved.get(id);
    const kept = held ?? (await this.#load((store) => store.find(id)));
    return kept && this.#shown(kept);
  }

  /** Resolves when every finished exchange is on disk. */
  async flush(): Promise<void> {
    await this.#saving;
  }

  /** The setting may have changed since. */
  #shown({ owner, exchange }: KeptExchange): Exchange {
    return this.#context.keepsContent?.(owner) === false ? withoutContent(exchange) : exchange;
  }

  #keep(owner: ExchangeOwner, recorded: Exchange): void {
    const { mask, keepsContent } = this.#context;
    const change = (body: string): string =>
      keepsContent?.(owner) === false ? omittedContent : (mask?.(body, owner) ?? body);
    const kept = { owner, exchange: withBodies(recorded, change) };
    this.#recent.set(owner.id, kept);
    this.#unsaved.set(owner.id, kept);
    this.#forgetOldest();
    this.#kept.emit(owner);
    this.#saving = this.#saving.then(async () => {
      try {
        await this.#context.store.save(owner, withBodies(kept.exchange, elideBody));
      } catch (error) {
        this.#context.reportError(error);
      }
      this.#unsaved.delete(owner.id);
    });
  }

  async #load<Result>(read: (store: ExchangeStore) => Promise<Result>): Promise<Result | undefined> {
    try {
      return await read(this.#context.store);
    } catch (error) {
      this.#context.reportError(error);
      return undefined;
    }
  }

  #forgetOldest(): void {
    let total = 0;
    for (const { exchange } of this.#recent.values()) total += bodyLength(exchange);
    for (const [id, { exchange }] of this.#recent) {
      if (total <= maxBodies || this.#recent.size === 1) return;
      total -= bodyLength(exchange);
      this.#recent.delete(id);
    }
  }
}

function bodyLength({ attempts }: Exchange): number {
  const bodies = new Set(attempts.map(({ request }) => request.body));
  return [...bodies].reduce((sum, body) => sum + body.length, 0);
}

/** What is left of a body that isn't kept; no server receives it. */
export const omittedContent = "";

/** The exchange with everything that was measured, and without what was sent. */
function withoutContent(exchange: Exchange): Exchange {
  return withBodies(exchange, () => omittedContent);
}

/** The exchange with other bodies, by the number of the attempt. */
export function withBodies(exchange: Exchange, change: (body: string, index: number) => string): Exchange {
  const attempts = exchange.attempts.map(({ request, ...attempt }, index): Attempt => ({
    ...attempt,
    request: { ...request, body: change(request.body, index) },
  }));
  return { ...exchange, attempts };
}

/** A body that contains only text is kept exactly as it was sent. */
function elideBody(body: string): string {
  try {
    const { value, elided } = elideMedia(JSON.parse(body));
    return elided === 0 ? body : JSON.stringify(value);
  } catch {
    return body;
  }
}
