import type { ProfileColor } from "../../account/profile.ts";
import type { RemedyBy } from "../../account/remedies.ts";
import { timeOfDay } from "../../kernel/formatTime.ts";
import { sshTargetOf } from "../connect/sshTarget.ts";
import type { ProfileActions, ShownChange } from "../actions/profileActions.ts";
import { webAddresses } from "../connect/webAddresses.ts";
import type { ServerAnnotation, ServerAnnotations } from "../marks/serverAnnotation.ts";
import type { GpuRowText } from "../gpu/gpuWatchState.ts";
import type { Job } from "../jobs/job.ts";
import type { ServedModel } from "../serve/servedModel.ts";
import type { Server } from "../server.ts";
import type { GroupName } from "../serverFacts.ts";
import type { FilterSubject } from "../serverProperties.ts";
import type { ServerListSnapshot } from "../serverListState.ts";

/** The servers of one profile, as the tree receives them. */
export interface ServerSection {
  readonly profileName: string;
  readonly isActive: boolean;
  readonly isProduction: boolean;
  readonly color: ProfileColor | undefined;
  /** The host of its gateway; undefined if the profile has none. */
  readonly host: string | undefined;
  readonly snapshot: ServerListSnapshot;
  readonly marks: ServerAnnotations;
  readonly actions?: ProfileActions;
  /** When the list is requested next, in milliseconds since 1970; undefined if no request is scheduled. */
  readonly nextTryAt: number | undefined;
}

/**
 * The lists without the servers that another profile of the same gateway lists as well, so that they cost something once:
 * they stay with the profile whose name comes first.
 */
export function countedOnce(sections: readonly ServerSection[]): readonly ServerSection[] {
  if (sections.length < 2) return sections;
  const owners = new Map<string, string>();
  const keyOf = (host: string | undefined, { id }: Server): string | undefined =>
    host === undefined || id === undefined ? undefined : `${host} ${id.value}`;
  for (const { profileName, host, snapshot } of sections)
    for (const server of snapshot.servers) {
      const key = keyOf(host, server);
      const owner = key === undefined ? undefined : owners.get(key);
      if (key !== undefined && (owner === undefined || profileName < owner)) owners.set(key, profileName);
    }
  return sections.map((section) => {
    const { profileName, host, snapshot } = section;
    const servers = snapshot.servers.filter((server) => {
      const key = keyOf(host, server);
      return key === undefined || owners.get(key) === profileName;
    });
    return { ...section, snapshot: { ...snapshot, servers } };
  });
}

/** A row of the tree. It stays the same object across refreshes, so that selection and focus are preserved. */
export interface ServerRow {
  readonly kind: "server";
  /** Unique in the tree and independent of anything that may change. */
  readonly id: string;
  readonly key: string;
  readonly profileName: string;
  readonly server: Server;
  readonly mark: ServerAnnotation | undefined;
  /** What was requested and isn't confirmed by the list yet, in place of the status. */
  readonly change?: ShownChange | undefined;
  /** The actions that it offers, as words for menus. */
  readonly actionFacts?: readonly string[];
  /** Its status in words. */
  readonly status?: string;
  /** When a list first showed this status, in milliseconds since 1970; undefined if every list so far did. */
  readonly changedAt?: number | undefined;
  /** The time of day of the data in the row, if a later refresh failed. */
  readonly staleSince: string | undefined;
}

/** Identifies a server among those of all profiles, whatever their names and keys contain. */
export function serverRowId(profileName: string, key: string): string {
  return JSON.stringify([profileName, key]);
}

/** Whether two lists consist of the same objects in the same order. */
export function isSameList<T>(first: readonly T[], second: readonly T[]): boolean {
  return first.length === second.length && first.every((item, index) => item === second[index]);
}

/** The time of day of a list that is old, because it couldn't be refreshed or comes from an earlier session. */
export function staleTime({ snapshot: { error, listedAt, isRestored } }: ServerSection): string | undefined {
  const isOld = error !== undefined || isRestored === true;
  return isOld && listedAt !== undefined ? timeOfDay(listedAt) : undefined;
}

/** The servers of all profiles, for filters. */
export function subjectsOf(sections: readonly ServerSection[]): readonly FilterSubject[] {
  return sections.flatMap((section) => {
    const { profileName, snapshot, marks } = section;
    const isStale = staleTime(section) !== undefined;
    return snapshot.servers.map((server) => ({ server, mark: marks.get(server.key), profileName, isStale }));
  });
}

/** A group of servers, which have the same name in this grouping. */
export interface GroupRow {
  readonly kind: "group";
  readonly id: string;
  /** The word of the property that it is about, or `stopped`: the stopped servers of a long list, folded. */
  readonly grouping: string;
  readonly name: GroupName;
  /** Shown after the name: how many they are, or what they cost. */
  readonly text: string;
  readonly rows: readonly ServerRow[];
}

/** Explains a problem in place of rows, or above them. */
export interface NoticeRow {
  readonly kind: "notice";
  readonly id: string;
  readonly profileName: string;
  readonly isFailure: boolean;
  readonly title: string;
  /** Shown after the title; may be empty. */
  readonly text: string;
  /** The remedies, most useful first. */
  readonly remedies: readonly RemedyBy<"anywhere" | "servers">[];
  /** The scheme that the server uses, if the address has the other one. */
  readonly scheme: "http" | "https" | undefined;
}

/** The root of a profile's servers, if there are several profiles. */
export interface ProfileRow {
  readonly kind: "profile";
  readonly id: string;
  readonly section: ServerSection;
  /** Number of servers that pass the filter. */
  readonly shown: number;
  readonly children: readonly TreeRow[];
}

/** One GPU of a server that is measured, below the row of the server. */
export interface GpuRow extends GpuRowText {
  readonly kind: "gpu";
  readonly id: string;
  readonly parent: ServerRow;
  /** Whether the values are old. */
  readonly isOld: boolean;
}

/** A job on a server, below the row of the server. */
export interface JobRow {
  readonly kind: "job";
  readonly id: string;
  readonly server: ServerRow;
  readonly job: Job;
  /** The model that it serves. */
  readonly served: ServedModel | undefined;
  readonly name: string;
  /** Shown after the name. */
  readonly text: string;
  /** Whether it was running when it was last seen, and nothing newer is known. */
  readonly isOld: boolean;
  /** Whether the server is stopped when the job ends. */
  readonly isArmed: boolean;
  /** Whether it is being stopped or removed, which `text` says. */
  readonly isBusy: boolean;
}

/** A port of a server that is forwarded to this machine, below the row of the server. */
export interface PortRow {
  readonly kind: "port";
  readonly id: string;
  readonly parent: ServerRow;
  /** `6006 tensorboard`. */
  readonly title: string;
  /** The port of the server. */
  readonly port: number;
  /** `localhost:6007 (6006 is in use)`. */
  readonly address: string;
  /** `reconnecting… · localhost:6007 (6006 is in use)`. */
  readonly text: string;
  readonly localPort: number;
  readonly state: "idle" | "open" | "waiting" | "failed";
  /** Why it isn't open, as a sentence. */
  readonly problem: string | undefined;
}

/** A row of the GPU Servers view; `kind` tells them apart. */
export type TreeRow = ServerRow | GpuRow | JobRow | PortRow | GroupRow | NoticeRow | ProfileRow;

/** What a refresh changed: nothing visible, some rows (including everything below them), or the list itself. */
export type RowChange = "none" | "list" | readonly TreeRow[];

/** What menus may offer for a server, as words for the `when` clauses of package.json. */
export function rowFacts({ server, mark, actionFacts }: ServerRow): readonly string[] {
  const hasSsh = sshTargetOf(server) !== undefined;
  const facts = [
    server.id && "hasId",
    server.name && "hasName",
    (server.address !== undefined || hasSsh) && "hasAddress",
    hasSsh && "hasSsh",
    (hasSsh || actionFacts?.includes("canStart") === true) && "mayOpen",
    server.status === "running" && "isRunning",
    webAddresses(server).length > 0 ? "hasPage" : undefined,
    mark?.isPinned === true ? "pinned" : "loose",
    mark?.isWatched === true ? "watched" : "unwatched",
    mark?.isMuted === true ? "muted" : "audible",
    ...(actionFacts ?? []),
  ];
  return facts.filter((fact) => typeof fact === "string");
}
