import type {
  CompletionEvent,
  CompletionRequest,
  ExchangeObserver,
  Price,
  Usage,
  ExchangeOutcome,
  ResponseHead,
} from "../../conversation/completion.ts";
import { costOf, findPrice } from "../../conversation/prices.ts";
import type { Cost, PriceTable } from "../../conversation/prices.ts";
import { ServiceError } from "../../kernel/errors.ts";
import type { ErrorReason } from "../../kernel/errors.ts";
import { budgetError, budgetPeriods, uncheckedBudget } from "../../conversation/budget.ts";
import type { Budget, BudgetExcess } from "../../conversation/budget.ts";
import type {
  LedgerEnd,
  LedgerLimit,
  LedgerOutcome,
  LedgerProgress,
  LedgerStart,
  LedgerStore,
} from "./ledgerRow.ts";
import { countMessages, countParameters } from "../../conversation/countTokens.ts";
import { filledFields } from "../../kernel/filledFields.ts";

/** Approximate UTF-16 units of a token, and tokens of an image and of a base64 character of audio. */
const unitsPerToken = 4;
/** Output tokens that are expected of a model's first response, and at least of one that is longer than expected. */
const [longOutputTokens, leastOutputTokens] = [16_000, 500] as const;
/**
 * A request waits up to this many milliseconds for those for which the rest of the budget is reserved; in between, it is
 * attempted again every so many milliseconds.
 */
const [longestWaitMs, waitStepMs] = [120_000, 250] as const;
/** What was received is entered whenever it has grown by this factor and this many tokens. */
const [noteFactor, noteTokens] = [1.1, 20] as const;

/** The ports of an entry. */
export interface LedgerEntryContext {
  /** Milliseconds since 1970. */
  now(): number;
  /** Monotonic milliseconds. */
  monotonic(): number;
  createId(): string;
  budget(): Budget | undefined;
  /** What the models of a profile cost. */
  prices(profile: string): PriceTable;
  /** The name of the workspace, if there is one. */
  workspace(): string | undefined;
  reportError(error: unknown): void;
  /** Resolves after this many milliseconds. */
  pause(ms: number): Promise<void>;
  readonly locale: string | undefined;
  /**
   * Runs the action on the store. Rejects if the store can't be used, or if it is locked for seconds.
   * @param isPatient Whether it may be locked for more than a minute.
   */
  attempt<Result>(action: (store: LedgerStore) => Result, isPatient?: boolean): Promise<Result>;
}

/** One request from its entry to its end. */
export class LedgerEntry implements ExchangeObserver {
  readonly #context: LedgerEntryContext;
  readonly #start: LedgerStart;
  readonly #beganAt: number;
  readonly #price: Price | undefined;
  readonly #inputTokens: number;
  #reservedTokens: number;
  #notedTokens = 0;
  readonly #mostTokens: number;
  /** Undefined until an entry has been attempted. */
  #entered: Promise<unknown> | undefined;
  #attempts = 0;
  #connections = 0;
  #outputLength = 0;
  #usage: Usage | undefined;
  #requestId: string | undefined;
  #reason: ErrorReason | undefined;
  #isOver = false;

  constructor(
    context: LedgerEntryContext,
    request: CompletionRequest,
    who: Omit<LedgerStart, "id" | "startedAt" | "model" | "workspace" | "reserved">,
  ) {
    this.#context = context;
    this.#beganAt = context.monotonic();
    this.#price = findPrice(request.model, context.prices(who.profile));
    // A rough estimate for servers that report no counts, and for what is reserved in the meantime.
    const count = (text: string): number => tokensOfLength(text.length);
    const { messages, parameters = {} } = request;
    this.#inputTokens = countMessages(messages, count) + countParameters(parameters, count);
    this.#mostTokens = Math.max(0, request.maxTokens ?? Infinity);
    this.#reservedTokens = Math.min(this.#mostTokens, longOutputTokens);
    this.#start = filledFields({
      ...who,
      id: context.createId(),
      startedAt: context.now(),
      model: request.model,
      workspace: context.workspace(),
    });
  }

  get id(): string {
    return this.#start.id;
  }

  /** Rejects with a ServiceError if the budget is used up, or if it can't be checked. */
  async enter(isOverBudget: boolean): Promise<void> {
    const budget = isOverBudget ? undefined : this.#context.budget();
    const entering = this.#tryEntering(budget);
    this.#entered = entering.catch(() => undefined);
    const excess = await entering.catch((error: unknown) => {
      this.#context.reportError(error);
      // Without a budget, the response is worth more than its row.
      if (budget !== undefined) throw uncheckedBudget();
      return undefined;
    });
    if (excess === undefined) return;
    const refusal = budgetError(excess, this.#context.locale);
    this.onFailure(refusal);
    this.#close("refused");
    throw refusal;
  }

  async #tryEntering(budget: Budget | undefined): Promise<BudgetExcess | undefined> {
    for (const end = this.#beganAt + longestWaitMs; ; await this.#context.pause(waitStepMs)) {
      const excess = await this.#context.attempt((store) => {
        const usual = store.usualOutput(this.#start.model) ?? longOutputTokens;
        this.#reservedTokens = Math.min(this.#mostTokens, usual);
        return store.enter(this.#reserved(), this.#limit(budget));
      });
      if (excess?.reserved === undefined || this.#context.monotonic() >= end) return excess;
      if (this.#isOver) return undefined;
    }
  }

  onRequest(): void {
    this.#attempts++;
    this.#note();
  }

  /** A request is sent again without a further attempt if the server was just closing the connection. */
  onConnection(): void {
    this.#connections++;
    if (this.#connections <= this.#attempts) return;
    this.#attempts = this.#connections;
    this.#note();
  }

  onHead({ requestId }: ResponseHead): void {
    if (requestId === undefined) return;
    this.noteRequestId(requestId);
    this.#note();
  }

  noteRequestId(requestId: string): void {
    this.#requestId = requestId;
  }

  onEvent(event: CompletionEvent): void {
    if (event.type === "text" || event.type === "reasoning") this.#count(event.text.length);
    else if (event.type === "toolCall") this.#count(event.arguments.length + (event.name?.length ?? 0));
    else if (event.type === "usage") this.#usage = event.usage;
  }

  onFailure(error: unknown, waitMs?: number): void {
    if (waitMs === undefined) this.#reason = error instanceof ServiceError ? error.reason : "malformed";
  }

  onEnd(outcome: ExchangeOutcome): void {
    if (outcome !== "streaming") this.#close(outcome);
  }

  #close(outcome: Exclude<LedgerOutcome, "running" | "lost">): void {
    if (this.#isOver || this.#entered === undefined) return;
    this.#isOver = true;
    void this.#writeEnd(outcome);
  }

  async #writeEnd(outcome: LedgerOutcome): Promise<void> {
    try {
      await this.#entered;
      const end = this.#end(outcome);
      await this.#context.attempt((store) => store.end(this.#start, end), true);
    } catch (error) {
      this.#context.reportError(error);
    }
  }

  /** Counts output, and expects at least twice as much whenever it is longer than expected. */
  #count(length: number): void {
    this.#outputLength += length;
    const tokens = tokensOfLength(this.#outputLength);
    if (tokens > this.#reservedTokens)
      this.#reservedTokens = Math.max(2 * this.#reservedTokens, tokens, leastOutputTokens);
    else if (tokens < this.#notedTokens * noteFactor + noteTokens) return;
    this.#notedTokens = tokens;
    this.#note();
  }

  /** If the window is killed, this is all that is known about the request. */
  #note(): void {
    const usage = this.#estimate();
    const progress: LedgerProgress = filledFields({
      ...{ attempts: this.#attempts, usage, requestId: this.#requestId },
      received: this.#cost(usage),
      reserved: this.#reserved().reserved,
    });
    void this.#context
      .attempt((store) => store.note(this.#start.id, progress))
      .catch((error: unknown) => this.#context.reportError(error));
  }

  #reserved(): LedgerStart {
    const reserved = this.#cost({ promptTokens: this.#inputTokens, completionTokens: this.#reservedTokens });
    return filledFields({ ...this.#start, reserved });
  }

  #limit(budget: Budget | undefined): LedgerLimit | undefined {
    if (budget === undefined) return undefined;
    const least = this.#cost({ promptTokens: this.#inputTokens, completionTokens: 0 });
    const periods = budgetPeriods(this.#context.now());
    return filledFields({ budget, periods, least });
  }

  #end(outcome: LedgerOutcome): LedgerEnd {
    const isEstimated = !isCounted(this.#usage) && this.#attempts > 0 && this.#hasAnswer(outcome);
    const usage = { ...(isEstimated ? this.#estimate() : {}), ...this.#usage };
    return filledFields({
      outcome,
      attempts: this.#attempts,
      durationMs: Math.round(this.#context.monotonic() - this.#beganAt),
      usage,
      isEstimated,
      cost: this.#cost(usage),
      reason: this.#reason,
      requestId: this.#requestId,
    });
  }

  /** A rejected request costs nothing; one that was stopped or cut off may have cost all of its input. */
  #hasAnswer(outcome: LedgerOutcome): boolean {
    return outcome !== "failed" || this.#outputLength > 0;
  }

  #estimate(): Usage {
    return { promptTokens: this.#inputTokens, completionTokens: tokensOfLength(this.#outputLength) };
  }

  #cost(usage: Usage): Cost | undefined {
    return costOf(usage, this.#price);
  }
}

function isCounted(usage: Usage | undefined): boolean {
  return usage?.promptTokens !== undefined && usage.completionTokens !== undefined;
}

function tokensOfLength(length: number): number {
  return Math.ceil(length / unitsPerToken);
}
