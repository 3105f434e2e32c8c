import type { CompletionPort } from "../../conversation/completion.ts";
import type { ExchangeLog } from "./exchangeLog.ts";

/** The same port; what goes over the wire for the messages of this conversation is written down. */
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
