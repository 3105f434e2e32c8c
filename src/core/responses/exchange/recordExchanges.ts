import type { CompletionPort } from "../../conversation/completion.ts";
import type { ExchangeLog } from "./exchangeLog.ts";

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
