import type { Server, ServerList } from "../../../src/core/servers/server.ts";

/** Everything that is known about a server, including what is read on first use, as a plain object to compare. */
export function factsOf(server: Server): Required<Server> {
  return {
    key: server.key,
    id: server.id,
    name: server.name,
    status: server.status,
    statusText: server.statusText,
    gpu: server.gpu,
    gpuModel: server.gpuModel,
    gpuCount: server.gpuCount,
    region: server.region,
    address: server.address,
    isPrivateAddress: server.isPrivateAddress,
    otherAddresses: server.otherAddresses,
    currency: server.currency,
    record: server.record,
  };
}

/** The list with everything that is known about its servers. */
export function listFacts(list: ServerList): ServerList {
  return { ...list, servers: list.servers.map(factsOf) };
}
