/** What we make of a state; anything we don't know is `unknown`, with the server's own word shown. */
export type ServerStatus = "running" | "starting" | "stopped" | "stopping" | "error" | "unknown";

/** One fact with the place in the record that it was read from, such as `region.name`. */
export interface ServerFact {
  readonly value: string;
  readonly source: string;
}

/** A GPU server as a tolerant reader sees it (interface section 2.4: "fields not shown"). */
export interface Server {
  /** Unique in its list and stable over refreshes: the record's id where it has one. */
  readonly key: string;
  readonly id?: ServerFact;
  readonly name?: ServerFact;
  readonly status: ServerStatus;
  /** The server's own word for its state. */
  readonly statusText?: ServerFact;
  /** Such as `8x H100 (80 GB SXM5)`. */
  readonly gpu?: ServerFact;
  readonly gpuModel?: ServerFact;
  readonly gpuCount?: ServerFact;
  readonly region?: ServerFact;
  /** A public address; a private one only where `isPrivateAddress` says so. */
  readonly address?: ServerFact;
  readonly isPrivateAddress?: boolean;
  /** The record's further addresses of this server, the likeliest first. */
  readonly otherAddresses?: readonly string[];
  /**
   * The record as the gateway sent it, with its secrets: only `maskSecrets` may read it for something that is shown.
   * Integers beyond 2^53 are strings here, so that no digit is lost.
   */
  readonly record: unknown;
}

/** What a gateway says of servers that it doesn't list. */
export interface ListExtent {
  /** How many servers there are where the reply says more than it lists. */
  readonly total?: number;
  /** Whether there are more, however the reply says it. */
  readonly hasMore?: true;
}

/** A server list as it was read. */
export interface ServerList extends ListExtent {
  readonly servers: readonly Server[];
  /** Where in the reply the list was found, such as `data.list`, `Reservations[].Instances` or `items{}`. */
  readonly path: string;
}

/** The list with what else is known of servers beyond it; what it says itself counts. */
export function withExtent(list: ServerList, { total, hasMore }: ListExtent): ServerList {
  if (total === undefined && hasMore === undefined) return list;
  return {
    ...(total === undefined ? {} : { total }),
    ...(hasMore === undefined ? {} : { hasMore }),
    ...list,
  };
}
