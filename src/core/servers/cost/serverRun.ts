import { maskSecretText } from "../secretMask.ts";
import type { Server, ServerStatus } from "../server.ts";
import { serverName } from "../serverLabels.ts";
import { hourlyRate } from "../serverPrice.ts";
import type { HourlyRate } from "../serverPrice.ts";
import type { ServerSection } from "../tree/rows.ts";

/**
 * How it is known what a server did: lists have shown it, it follows from what they showed before and after, or it isn't
 * known at all.
 */
export const runBases = ["observed", "estimated", "gap"] as const;
type RunBasis = (typeof runBases)[number];

/** A stretch of time in which a server was in one state at one rate. */
export interface ServerRun {
  readonly profile: string;
  /** The server's key in the list of the profile. */
  readonly server: string;
  /** Its name when it was last seen. */
  readonly name: string;
  readonly status: ServerStatus;
  readonly basis: RunBasis;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** Undefined if it isn't known what this time costs; always in gaps. */
  readonly rate: HourlyRate | undefined;
}

/** What a list of a profile shows. */
export interface SeenList extends Pick<ServerRun, "profile"> {
  /** When it was received, in milliseconds since 1970. */
  readonly seenAt: number;
  readonly isComplete: boolean;
  readonly servers: readonly ServerSighting[];
}

/** What a list shows of a server. */
interface ServerSighting extends Pick<ServerRun, "profile" | "server" | "name" | "status" | "rate"> {
  /** When the list was received, in milliseconds since 1970. */
  readonly seenAt: number;
  /** Since when it has been running, if the record says so, in milliseconds since 1970. */
  readonly startedAt: number | undefined;
}

/** Port: the record of what servers did, which all windows share. */
export interface ServerRuns {
  /** Enters what a list of a profile has shown. */
  note(list: SeenList): Promise<void>;
  /** What servers of all profiles have done since then, in milliseconds since 1970: the earliest first. */
  read(since: number): Promise<readonly ServerRun[]>;
}

/** Two lists that are further apart than this don't show what happened between them: the list was requested twice. */
const longestStepMs = 11 * 60_000;
/** Further than this, no list of another window can be ahead. */
const clockErrorMs = 3_600_000;
/** What hasn't changed is entered again only after this time. */
const shortestStepMs = 45_000;
/** By how much a time that was calculated from an uptime may differ from the true one. */
const inexactMs = 2 * 60_000;

/**
 * The runs to enter for a list; each replaces the one of the server with the same beginning. Until the next list, a
 * server counts as being in the state that the last one showed, so it doesn't matter which windows have requested them.
 * @param last The last run of each server of the profile, by its key.
 */
export function nextRuns(
  last: ReadonlyMap<string, ServerRun>,
  { seenAt, isComplete, servers }: SeenList,
): readonly ServerRun[] {
  const seen = new Set(servers.map(({ server }) => server));
  const missing = isComplete ? [...last.values()].filter(({ server }) => !seen.has(server)) : [];
  return [
    ...servers.flatMap((sighting) => runsOf(last.get(sighting.server), sighting)),
    ...missing.flatMap((run) => runsOfMissing(run, seenAt)),
  ];
}

/** What a server does that has left the list isn't known: a gap begins, which only its return prolongs. */
function runsOfMissing(last: ServerRun, seenAt: number): readonly ServerRun[] {
  if (last.basis === "gap" || seenAt <= last.to) return [];
  const gap: ServerRun = { ...last, status: "unknown", basis: "gap", to: seenAt, rate: undefined };
  const isNear = seenAt - last.to <= longestStepMs;
  return isNear
    ? [
        { ...last, to: seenAt },
        { ...gap, from: seenAt },
      ]
    : [{ ...gap, from: last.to }];
}

function runsOf(last: ServerRun | undefined, sighting: ServerSighting): readonly ServerRun[] {
  const { seenAt, startedAt, ...what } = sighting;
  const now: ServerRun = { ...what, basis: "observed", from: seenAt, to: seenAt };
  const isRunning = what.status === "running" && startedAt !== undefined && startedAt < seenAt;
  if (last === undefined) {
    return isRunning ? [{ ...now, basis: "estimated", from: startedAt }, now] : [now];
  }
  const step = seenAt - last.to;
  // The clock was ahead when that was entered.
  if (step < -clockErrorMs) return [{ ...last, to: seenAt }, now];
  // Another window has seen a later list.
  if (step <= 0) return [];
  const isSame = last.basis !== "gap" && last.status === what.status && isSameRate(last.rate, what.rate);
  if (step <= longestStepMs) {
    if (isSame) return step < shortestStepMs ? [] : [{ ...last, name: what.name, to: seenAt }];
    return [heldRun(last, sighting), now];
  }
  const between: ServerRun = { ...now, from: last.to, to: seenAt, basis: "gap", rate: undefined };
  if (!isRunning) return [isSame ? { ...between, basis: "estimated", rate: what.rate } : between, now];
  if (startedAt > last.to + inexactMs) {
    const started: ServerRun = { ...now, basis: "estimated", from: startedAt };
    return [{ ...between, to: startedAt, status: last.status }, started, now];
  }
  return [isSame ? { ...between, basis: "estimated", rate: what.rate } : between, now];
}

/** The last run until a list has shown something else. A price that has become known is an estimate for it. */
function heldRun(last: ServerRun, { seenAt, status, rate }: ServerSighting): ServerRun {
  const isPriced = last.basis !== "gap" && last.rate === undefined && status === last.status;
  const known = isPriced && rate !== undefined ? { ...rate, isEstimate: true } : last.rate;
  return { ...last, to: seenAt, rate: known };
}

function isSameRate(first: HourlyRate | undefined, second: HourlyRate | undefined): boolean {
  return (
    first?.amount === second?.amount &&
    first?.currency === second?.currency &&
    first?.isEstimate === second?.isEstimate
  );
}

/** What the list of a profile shows now; undefined if it is an old one. */
export function seenList({ profileName: profile, snapshot }: ServerSection): SeenList | undefined {
  const { servers, listedAt: seenAt, error, isRestored, hasMore, total } = snapshot;
  if (seenAt === undefined || error !== undefined || isRestored === true) return undefined;
  const sightings = servers.map((server) => ({
    profile,
    // The key may be the name itself, which may contain a secret.
    server: runKey(server),
    name: serverName(server),
    status: server.status,
    rate: hourlyRate(server),
    seenAt,
    startedAt: runningSince(server, seenAt),
  }));
  return { profile, seenAt, isComplete: hasMore !== true && total === undefined, servers: sightings };
}

/**
 * The runs without those of servers that another profile of the same gateway has as well, which cost something once: they
 * stay with the profile whose name comes first.
 * @param originOf The origin of a profile's gateway; empty if it isn't known.
 */
export function runsOnce(
  runs: readonly ServerRun[],
  originOf: (profile: string) => string,
): readonly ServerRun[] {
  const origins = new Map(
    [...new Set(runs.map(({ profile }) => profile))].map((each) => [each, originOf(each)]),
  );
  const serverOf = ({ profile, server }: ServerRun): string => `${origins.get(profile) || profile} ${server}`;
  const owners = new Map<string, string>();
  for (const run of runs) {
    const owner = owners.get(serverOf(run));
    if (owner === undefined || run.profile < owner) owners.set(serverOf(run), run.profile);
  }
  // Names aren't unique over several accounts.
  return runs.filter((run) => run.server.startsWith("name:") || owners.get(serverOf(run)) === run.profile);
}

/** What identifies the server in its runs. */
export function runKey({ key }: Server): string {
  return maskSecretText(key).slice(0, 300);
}

/**
 * Since when a server has been running, in milliseconds since 1970: undefined if the record doesn't say so. When it was
 * created isn't enough, because it may have been stopped since.
 * @param listedAt When the list was received.
 */
export function runningSince(
  { status, startedAt, uptimeSeconds }: Server,
  listedAt: number,
): number | undefined {
  if (status !== "running") return undefined;
  if (startedAt !== undefined) return Date.parse(startedAt.value);
  return uptimeSeconds === undefined ? undefined : listedAt - 1_000 * Number(uptimeSeconds.value);
}
