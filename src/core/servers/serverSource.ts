import type { ServerList } from "./server.ts";

/** One request for the list under way. */
export interface ServerListRun {
  /** Rejects with a ServiceError: `missingCredential` if there is no credential, which includes having no profile. */
  readonly list: Promise<ServerList>;
  /** Closes the socket at once; `list` may settle in any way afterwards. */
  stop(): void;
}

/** Port: where the server list comes from (interface section 4.2); always the active profile's gateway. */
export interface ServerSource {
  list(): ServerListRun;
}
