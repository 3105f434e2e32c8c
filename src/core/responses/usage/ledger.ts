import type {
  CompletionPort,
  ExchangeObserver,
  RequestSender,
  Usage,
  SentRequest,
} from "../../conversation/completion.ts";
import { deferCompletion } from "../../conversation/deferCompletion.ts";
import { defaultPurpose } from "../../conversation/requestPurpose.ts";
import type { RequestTotal } from "../../conversation/requestTotal.ts";
import { ServiceError } from "../../kernel/errors.ts";
import { budgetPeriods } from "../../conversation/budget.ts";
import type { Spending } from "../../conversation/budget.ts";
import type { ExchangeLog } from "../exchange/exchangeLog.ts";
import { LedgerEntry } from "./ledgerEntry.ts";
import type { LedgerEntryContext } from "./ledgerEntry.ts";
import type { LedgerRow, LedgerStart } from "./ledgerRow.ts";
import { filledFields } from "../../kernel/filledFields.ts";

interface LedgerContext extends LedgerEntryContext {
  /** Records the wire traffic of requests, so that they can be inspected. */
  readonly exchanges?: ExchangeLog;
}

/** A request to a model that isn't a completion. */
export interface LedgerRequest extends Pick<LedgerStart, "purpose" | "profile"> {
  readonly model: string;
  /** Everything that the model reads, to estimate its tokens. */
  readonly input: string;
  /** The most tokens of the response. */
  readonly maxTokens?: number;
  /** The request without its credential, if it can be inspected. */
  readonly sent?: SentRequest;
}

/** What is entered about the response to such a request. */
export interface LedgerAnswer {
  readonly isGood: boolean;
  readonly usage?: Usage;
  readonly requestId?: string;
}

/**
 * One row for every request of every part of the product. A request is entered before it is sent, so that a killed
 * window can't spend unnoticed and simultaneous requests can't exceed the budget together.
 */
export class Ledger {
  readonly #context: LedgerContext;

  constructor(context: LedgerContext) {
    this.#context = context;
  }

  /** The wire traffic of the requests, by their IDs and messages. */
  get exchanges(): ExchangeLog | undefined {
    return this.#context.exchanges;
  }

  /** Opens the store ahead of time, so that the first request doesn't wait for it. That request reports any failure. */
  prepare(): void {
    void this.#context.attempt(() => undefined).catch(() => undefined);
  }

  /** Wraps the port so that every request to this profile is entered. */
  keep(port: CompletionPort, profile: string): CompletionPort {
    return {
      complete: (request, observer) => {
        const { purpose = defaultPurpose, sender = {}, messageId } = observer;
        const { extension, conversationId } = sender;
        const who = filledFields({ purpose, profile, extension, conversationId, messageId });
        const entry = new LedgerEntry(this.#context, request, who);
        const isResponse = conversationId !== undefined && purpose === defaultPurpose;
        const owner = filledFields({
          ...{ id: entry.id, conversationId },
          messageId: isResponse ? messageId : undefined,
        });
        const recorder = this.#context.exchanges?.record(owner, request.model, purpose);
        const exchange = recorder === undefined ? entry : bothObservers(recorder, entry);
        const run = deferCompletion(async () => {
          await entry.enter(sender.mayExceedBudget === true);
          return port;
        }).complete(request, { ...observer, exchange });
        return {
          events: run.events,
          stop() {
            run.stop();
            entry.onEnd("stopped");
          },
        };
      },
    };
  }

  /**
   * Sends a request that isn't one of our own completions, and enters it like one. Rejects with a
   * ServiceError if the budget is used up, and with whatever `send` rejects with.
   */
  async keepRequest<Result extends LedgerAnswer>(
    { model, input, maxTokens, sent, ...who }: LedgerRequest,
    send: () => Promise<Result>,
  ): Promise<Result> {
    const content = { model, stream: false, messages: [{ role: "user", content: input }] } as const;
    const request = { ...content, ...(maxTokens === undefined ? {} : { maxTokens }) };
    const entry = new LedgerEntry(this.#context, request, who);
    await entry.enter(false);
    const recorder =
      sent === undefined ? undefined : this.#context.exchanges?.record({ id: entry.id }, model, who.purpose);
    const observer = recorder === undefined ? entry : bothObservers(recorder, entry);
    observer.onRequest(sent ?? unknownRequest);
    try {
      const answer = await send();
      if (answer.usage !== undefined) observer.onEvent({ type: "usage", usage: answer.usage });
      if (answer.requestId !== undefined) entry.noteRequestId(answer.requestId);
      observer.onEnd(answer.isGood ? "complete" : "failed");
      return answer;
    } catch (error) {
      const hasFailed = error instanceof ServiceError;
      if (hasFailed) observer.onFailure(error);
      // Anything else is the reason of a stop.
      observer.onEnd(hasFailed ? "failed" : "stopped");
      throw error;
    }
  }

  /** The rows since this time (milliseconds since 1970), the latest first. */
  read(since: number): Promise<readonly LedgerRow[]> {
    return this.#context.attempt((store) => store.read(since));
  }

  /** The sums of the requests since this time (milliseconds since 1970), the earliest hour first. */
  totals(since: number): Promise<readonly RequestTotal[]> {
    return this.#context.attempt((store) => store.totals(since));
  }

  /** What was spent and reserved in the budget's periods. */
  spent(): Promise<{ readonly day: readonly Spending[]; readonly month: readonly Spending[] }> {
    const { day, month } = budgetPeriods(this.#context.now());
    return this.#context.attempt((store) => ({ day: store.spentSince(day), month: store.spentSince(month) }));
  }
}

/** Wraps the port so that its requests are entered under this sender. */
export function sentBy(port: CompletionPort, sender: () => RequestSender): CompletionPort {
  return {
    complete: (request, observer) => port.complete(request, { ...observer, sender: sender() }),
  };
}

/** For a request that isn't recorded, whose attempts are only counted. */
const unknownRequest: SentRequest = { method: "", url: "", headers: {}, body: "" };

/** Reports everything to both, to the first one first. */
function bothObservers(...both: readonly [ExchangeObserver, ExchangeObserver]): ExchangeObserver {
  return {
    onRequest: (request) => both.forEach((one) => one.onRequest(request)),
    onConnection: (facts) => both.forEach((one) => one.onConnection(facts)),
    onConnected: () => both.forEach((one) => one.onConnected?.()),
    onSent: () => both.forEach((one) => one.onSent?.()),
    onHead: (head) => both.forEach((one) => one.onHead(head)),
    onBytes: (count) => both.forEach((one) => one.onBytes?.(count)),
    onEvent: (event) => both.forEach((one) => one.onEvent(event)),
    onFailure: (error, waitMs) => both.forEach((one) => one.onFailure(error, waitMs)),
    onEnd: (outcome) => both.forEach((one) => one.onEnd(outcome)),
  };
}
