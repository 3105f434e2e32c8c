/**
 * undici's client for one connection, by its own path: the package as a whole is twice as large, takes three times as
 * long to load, and on loading replaces the global dispatcher that the fetch of the whole extension host uses.
 */
declare module "undici/lib/dispatcher/client.js" {
  import { Client } from "undici";
  export { Client as default };
}
