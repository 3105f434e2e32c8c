/**
 * undici's client for one connection, imported by its own path: the whole package is twice as large, takes three times
 * as long to load, and replaces the global dispatcher that the fetch of the whole extension host uses. Declares only
 * what this module itself defines: `request` and the like are added by the package's index.
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
