/** The statuses in order of urgency: those that need attention come first. */
export const serverStatuses = ["error", "starting", "stopping", "running", "stopped", "unknown"] as const;
/** Our interpretation of a state; anything unrecognized is `unknown` and shown with the server's own word. */
export type ServerStatus = (typeof serverStatuses)[number];

/** One fact along with the location in the record that it was read from, such as `region.name`. */
export interface ServerFact {
  readonly value: string;
  readonly source: string;
}

/**
 * A GPU server as parsed by a tolerant reader (interface section 2.4: "fields not shown"). Each member that is a
 * `ServerFact` is described in `serverFacts.ts`, from which everything else that is done with it follows.
 */
export interface Server {
  /** Unique in its list and stable across refreshes: the record's ID if it has one. */
  readonly key: string;
  readonly id?: ServerFact | undefined;
  readonly name?: ServerFact | undefined;
  readonly status: ServerStatus;
  /** The server's own word for its state. */
  readonly statusText?: ServerFact | undefined;
  /** Why it is in its state, in the gateway's words, such as `pulling image`. */
  readonly statusReason?: ServerFact | undefined;
  /** An ISO date. */
  readonly statusSince?: ServerFact | undefined;
  /** Such as `8 × H100 (80 GB SXM5)`. */
  readonly gpu?: ServerFact | undefined;
  readonly gpuModel?: ServerFact | undefined;
  readonly gpuCount?: ServerFact | undefined;
  /** How much its GPUs were used on average when the list was sent, such as `71%`. */
  readonly gpuUse?: ServerFact | undefined;
  readonly region?: ServerFact | undefined;
  /** A public address; a private one only if `isPrivateAddress` is set. */
  readonly address?: ServerFact | undefined;
  readonly isPrivateAddress?: boolean | undefined;
  /** Other addresses of this server in the record, the most likely first. */
  readonly otherAddresses?: readonly string[] | undefined;
  /** What it costs per hour, as `serverPrice.ts` writes it. */
  readonly price?: ServerFact | undefined;
  /**
   * What it costs per hour in its present state, if that isn't running: as its record states it, or by the rules of its
   * profile.
   */
  readonly costNow?: ServerFact | undefined;
  /** The cloud's name for what was rented, such as `gpu-h100x8-640gb`. */
  readonly type?: ServerFact | undefined;
  /** An ISO date. */
  readonly startedAt?: ServerFact | undefined;
  /** How long it had been running when the list was sent, in seconds. */
  readonly uptimeSeconds?: ServerFact | undefined;
  /** An ISO date. */
  readonly billedSince?: ServerFact | undefined;
  /** An ISO date. */
  readonly createdAt?: ServerFact | undefined;
  /**
   * The record as the gateway sent it, including its secrets: only `maskSecrets` may read it for display. Integers
   * beyond 2^53 are strings here, so that no digit is lost.
   */
  readonly record: unknown;
}

/** Whether something may run on a server. Some gateways name no status that is understood. */
export function mayRun({ status }: Pick<Server, "status">): boolean {
  return status === "running" || status === "unknown";
}

/** What a gateway reports about servers that it doesn't list. */
export interface ListExtent {
  /** Total number of servers, if the response reports more than it lists. */
  readonly total?: number;
  /** Whether there are more servers, in whatever form the response indicates it. */
  readonly hasMore?: true;
  /** Why the list ends before its last page, as a sentence. */
  readonly incomplete?: string;
}

/** A parsed server list. */
export interface ServerList extends ListExtent {
  readonly servers: readonly Server[];
}
