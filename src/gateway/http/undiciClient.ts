// In this order: imports are run one after the other.
import { restoreFetchDispatchers } from "./fetchDispatchers.ts";
import { Client } from "undici";

restoreFetchDispatchers();

/** undici's client for one connection. Loading it takes a noticeable moment. */
export { Client };
