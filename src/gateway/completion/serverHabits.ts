import type { MessageOrder } from "./messageOrder.ts";

/** What servers have rejected, so that they are asked in a way they accept from the first attempt on. */
export class ServerHabits {
  readonly #orders = new Map<string, MessageOrder>();
  readonly #withoutUsage = new Set<string>();

  /** The order of messages that the model demands. @param baseUrl With its `/v1`. */
  orderOf(baseUrl: string, model: string): MessageOrder | undefined {
    return this.#orders.get(JSON.stringify([baseUrl, model]));
  }

  demandOrder(baseUrl: string, model: string, order: MessageOrder): void {
    this.#orders.set(JSON.stringify([baseUrl, model]), order);
  }

  /** Whether the server takes `stream_options`. */
  acceptsUsage(baseUrl: string): boolean {
    return !this.#withoutUsage.has(baseUrl);
  }

  rejectUsage(baseUrl: string): void {
    this.#withoutUsage.add(baseUrl);
  }
}
