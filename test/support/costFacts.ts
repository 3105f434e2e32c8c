import type { RequestTotal } from "../../src/core/conversation/requestTotal.ts";
import type { ServerRun } from "../../src/core/servers/cost/serverRun.ts";

/** Milliseconds since 1970, of a time in UTC. */
export const utc = (time: string): number => Date.parse(`2026-11-${time}:00Z`);

/** The afternoon of November 24, 2026, in UTC. */
export const costsNow = utc("24T14:30");

/** A server that ran at $24 an hour. */
export function createRun(
  server: string,
  from: string,
  to: string,
  change: Partial<ServerRun> = {},
): ServerRun {
  return {
    ...{ profile: "research", server, name: server, status: "running", basis: "observed" },
    ...{ from: utc(from), to: utc(to) },
    rate: { amount: 24, currency: "USD", isEstimate: false },
    ...change,
  };
}

/** Requests that cost half a dollar. */
export function createTotal(at: string, change: Partial<RequestTotal> = {}): RequestTotal {
  return {
    ...{ at: utc(at), profile: "research", model: "lab/a", workspace: "nanogpt" },
    ...{ requests: 10, promptTokens: 1_000, completionTokens: 500, unpriced: 0 },
    cost: { amount: 0.5, currency: "USD" },
    ...change,
  };
}

const euros = { amount: 10, currency: "EUR", isEstimate: false };
const unknown = { rate: undefined };

/** Servers in two currencies, one of them stopped and started again, others without a price, and requests. */
export const mixedCosts = {
  runs: [
    // Beyond midnight in UTC, stopped from 10:05 to 12:05.
    createRun("trainer-08", "23T22:00", "24T10:05"),
    createRun("trainer-08", "24T10:05", "24T12:05", { status: "stopped", rate: { ...euros, amount: 0 } }),
    createRun("trainer-08", "24T12:05", "24T14:30"),
    createRun("infer-02", "24T08:00", "24T10:00", { profile: "prod", rate: euros, basis: "estimated" }),
    createRun("infer-02", "24T10:00", "24T14:30", { profile: "prod", rate: euros }),
    createRun("eval-03", "24T12:00", "24T14:30", unknown),
    createRun("old-01", "24T00:00", "24T14:30", { status: "stopped", ...unknown }),
    createRun("old-02", "24T00:00", "24T01:00", { basis: "gap", ...unknown }),
  ],
  requests: [
    createTotal("23T23:00"),
    createTotal("24T00:00", { estimatedCost: { amount: 0.25, currency: "USD" } }),
    createTotal("24T09:00", { model: "lab/b", workspace: "site" }),
  ],
  now: costsNow,
};
