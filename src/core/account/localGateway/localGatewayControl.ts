import { Listeners } from "../../kernel/listeners.ts";
import type { LocalGateway, LocalGatewayHost } from "./localGateway.ts";

/** Runs or joins at most one local gateway and keeps the profile "Local gateway" in sync with it. */
export class LocalGatewayControl {
  readonly #host: LocalGatewayHost;
  readonly #listeners = new Listeners<LocalGateway | undefined>();
  #gateway: LocalGateway | undefined;
  /** The latest one of this window, because conversations know its address. */
  #port: number | undefined;
  /** Serializes starts and stops. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(host: LocalGatewayHost) {
    this.#host = host;
  }

  /** The gateway that this window runs or that it has joined; undefined while there is none. */
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
    return this.#after(async () => this.#gateway ?? (await this.#open(isAutomatic)));
  }

  /** Stops the gateway, or leaves that of another window, and switches back to the previously active profile. */
  stop(): Promise<void> {
    return this.#after(async () => {
      const gateway = this.#gateway;
      if (gateway === undefined) return;
      this.#set(undefined);
      await gateway.stop(true);
      const { leaveProfile } = await import("./gatewayProfile.ts");
      await leaveProfile(this.#host, gateway.ended !== undefined);
    });
  }

  /** Closes the server without changing any settings, because the window is closing. */
  async close(): Promise<void> {
    const gateway = this.#gateway;
    this.#gateway = undefined;
    await gateway?.stop();
  }

  async #open(isAutomatic: boolean): Promise<LocalGateway> {
    const { announceGateway, portOf, portOfProfile } = await import("./gatewayProfile.ts");
    const port = this.#port ?? portOfProfile(this.#host);
    const gateway = await this.#host
      .start(port)
      .catch(async () => (await this.#host.join(port)) ?? this.#host.start(0));
    try {
      await announceGateway(this.#host, gateway, isAutomatic);
    } catch (error) {
      await gateway.stop();
      throw error;
    }
    this.#set(gateway);
    this.#port = portOf(gateway.gatewayUrl);
    // If it can't be continued, it is shown as stopped, and the next request fails with the way to start it.
    void gateway.ended?.then((end) => this.#after(() => this.#replace(gateway, end))).catch(() => undefined);
    return gateway;
  }

  /** If the window that ran the gateway is gone, this one or another one that has joined it continues it. */
  async #replace(gateway: LocalGateway, end: "stopped" | "dead"): Promise<void> {
    if (this.#gateway !== gateway) return;
    this.#set(undefined);
    if (end === "dead") await this.#open(true);
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
