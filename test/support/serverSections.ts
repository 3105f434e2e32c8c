import type { Server, ServerStatus } from "../../src/core/servers/server.ts";
import type { ServerSection } from "../../src/core/servers/tree/rows.ts";

const statuses: readonly ServerStatus[] = ["running", "stopped", "starting", "error", "stopping", "unknown"];
const fact = (value: string) => ({ value, source: "x" });

/** A server with only the given facts. */
export function createServer(key: string, parts: Partial<Server> = {}): Server {
  return { key, status: "running", record: {}, id: fact(key), name: fact(`name-${key}`), ...parts };
}

/** This many servers, each with something in every default column. */
export function createServers(count: number): readonly Server[] {
  return Array.from({ length: count }, (_, index) =>
    createServer(`srv-${index}`, {
      name: fact(`trainer-${(index * 7919) % Math.max(count, 1)}`),
      status: statuses[index % statuses.length] ?? "unknown",
      gpu: fact(`${1 + (index % 8)}x ${["H100", "A100", "L40S"][index % 3]}`),
      gpuModel: fact(["H100", "A100", "L40S"][index % 3] ?? ""),
      region: fact(`eu-${index % 5}`),
      address: fact(`203.0.${(index >> 8) % 256}.${index % 256}`),
      createdAt: fact(new Date(1_700_000_000_000 + index * 3_600_000).toISOString()),
      record: { tags: ["prod"] },
    }),
  );
}

/** A profile's list that was loaded without problems, overridden by the given parts. */
export function createSection(
  servers: readonly Server[],
  snapshot: Partial<ServerSection["snapshot"]> = {},
  parts: Partial<ServerSection> = {},
): ServerSection {
  const state = servers.length === 0 ? "empty" : "ready";
  return {
    profileName: "Lab",
    isActive: true,
    isProduction: false,
    color: undefined,
    host: "gateway.example",
    snapshot: { state, servers, isRefreshing: false, listedAt: 0, failures: 0, ...snapshot },
    marks: new Map(),
    nextTryAt: undefined,
    ...parts,
  };
}
