import type { ServerList } from "../../core/server.ts";
import type { ServerListRun, ServerSource } from "../../core/servers/serverSource.ts";

/** A source from a function that takes an AbortSignal, as the clients of the wire do. */
export function abortableServerSource(
  listServers: (signal: AbortSignal) => Promise<ServerList>,
): ServerSource {
  return {
    list(): ServerListRun {
      const controller = new AbortController();
      return { list: listServers(controller.signal), stop: () => controller.abort() };
    },
  };
}
