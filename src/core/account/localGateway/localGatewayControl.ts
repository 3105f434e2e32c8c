import { Listeners } from "../../kernel/listeners.ts";
import type { LocalGateway, LocalGatewayHost } from "./localGateway.ts";

/** Runs at most one local gateway and keeps the profile "Local gateway" in sync with it. */
export class LocalGatewayControl {
  readonly #host: LocalGatewayHost;
  readonly #listeners = new Listeners<LocalGateway | undefined>();
  #gateway: LocalGateway | undefined;
  /** Serializes starts and stops. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(host: LocalGatewayHost) {
    this.#host = host;
  }

  /** The gateway that this window has started; undefined while none is running. */
  get running(): LocalGateway | undefined {
    return this.#gateway;
  }

  /**
   * The listener receives the gateway when it starts, and undefined when it stops. Returns a function that
   * unsubscribes.
   */
  onDidChange(listener: (gateway: LocalGateway | undefined) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Starts the gateway unless it is running. A start requested by the user makes its profile the active one; an
   * automatic start does so only if no other profile is in use.
   */
  start({ isAutomatic }: { readonly isAutomatic: boolean }): Promise<LocalGateway> {
    return this.#after(async () => {
      if (this.#gateway !== undefined) return this.#gateway;
      const gateway = await this.#listen();
      try {
        const { announceGateway } = await import("./gatewayProfile.ts");
        await announceGateway(this.#host, gateway, isAutomatic);
      } catch (error) {
        await gateway.stop();
        throw error;
      }
      this.#set(gateway);
      return gateway;
    });
  }

  /** Stops the gateway and switches back to the previously active profile; the gateway's own profile is kept. */
  stop(): Promise<void> {
    return this.#after(async () => {
      const gateway = this.#gateway;
      if (gateway === undefined) return;
      this.#set(undefined);
      await gateway.stop();
      const { leaveProfile } = await import("./gatewayProfile.ts");
      await leaveProfile(this.#host);
    });
  }

  /** Closes the server without changing any settings, because the window is closing. */
  async close(): Promise<void> {
    await this.#gateway?.stop();
  }

  /** On the previous port if it is free, so that open conversations continue. */
  async #listen(): Promise<LocalGateway> {
    const { start } = this.#host;
    const { port } = this.#host.readMemory();
    if (port === 0) return start(0);
    return start(port).catch(() => start(0));
  }

  #set(gateway: LocalGateway | undefined): void {
    this.#gateway = gateway;
    this.#listeners.emit(gateway);
  }

  #after<T>(step: () => Promise<T>): Promise<T> {
    const next = this.#last.then(step);
    this.#last = next.catch(() => undefined);
    return next;
  }
}
