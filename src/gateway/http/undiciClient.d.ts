/**
 * undici's client for one connection, by its own path: the package as a whole is twice as large, takes three times as
 * long to load, and on loading replaces the global dispatcher that the fetch of the whole extension host uses.
 * Only what this module itself defines: `request` and the like are added by the package's index.
 */
declare module "undici/lib/dispatcher/client.js" {
  import type { Client, Dispatcher } from "undici";
  class DispatchClient {
    constructor(origin: string | URL, options: Client.Options);
    readonly destroyed: boolean;
    dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean;
    on(event: "connect" | "disconnect", listener: () => void): this;
    destroy(): Promise<void>;
  }
  export { DispatchClient as default };
}
