import type { Profile } from "../account/profile.ts";
import { originOf } from "../kernel/httpAddress.ts";
import { Listeners } from "../kernel/listeners.ts";
import type { ProfileActions } from "./actions/profileActions.ts";
import type { ServerAnnotations } from "./marks/serverAnnotation.ts";
import { ServerListState } from "./serverListState.ts";
import type { ServerSource } from "./serverListState.ts";
import { ServerPoller } from "./serverPoller.ts";
import type { PollerPorts } from "./serverPoller.ts";
import type { ServerSection } from "./tree/rows.ts";

/** Represents all profiles if there are none, to show what is missing. */
const nobody: ListedProfile = {
  identity: "",
  pricing: undefined,
  profileName: "",
  isActive: true,
  isProduction: false,
  color: undefined,
  host: undefined,
};

/**
 * The profiles whose servers are shown, the active one first: those with a gateway. If there are none, the active
 * profile shows what is missing.
 */
export function listedProfiles(
  all: readonly Profile[],
  active: Profile | undefined,
): readonly ListedProfile[] {
  const withGateway = all.filter(({ gatewayUrl }) => gatewayUrl !== undefined);
  const shown = withGateway.length > 0 ? withGateway : all.filter((each) => each === active);
  if (shown.length === 0) return [nobody];
  return shown
    .map((profile) => listedProfile(profile, active?.name))
    .toSorted((one, other) => Number(other.isActive) - Number(one.isActive));
}

function listedProfile(profile: Profile, active: string | undefined): ListedProfile {
  const { name, gatewayUrl, production, color } = profile;
  return {
    identity: JSON.stringify({
      ...profile,
      color: undefined,
      production: undefined,
      serverPrices: undefined,
    }),
    pricing: JSON.stringify(profile.serverPrices),
    profileName: name,
    isActive: name === active,
    isProduction: production ?? false,
    color,
    host: originOf(gatewayUrl)?.replace(/^https?:\/\//, ""),
  };
}

/** A profile whose servers are listed. */
export interface ListedProfile extends Omit<ServerSection, "snapshot" | "marks" | "actions" | "nextTryAt"> {
  /** Everything that determines what its gateway returns. When it changes, the list starts over. */
  readonly identity: string;
  /** What the user states about prices. When it changes, the list is requested again. */
  readonly pricing: string | undefined;
}

/** The ports of the lists, by profile. */
interface ServerListsPorts extends PollerPorts {
  sourceOf(profileName: string): ServerSource;
  marksOf(profileName: string): ServerAnnotations;
  actionsOf(profileName: string): ProfileActions;
}

interface Member {
  profile: ListedProfile;
  readonly list: ServerListState;
  readonly poller: ServerPoller;
  stop(): void;
}

/** The server lists of all profiles, each with its own state, errors and polling, with common change events. */
export class ServerLists {
  readonly #ports: ServerListsPorts;
  readonly #listeners = new Listeners<string | undefined>();
  readonly #members = new Map<string, Member>();
  #seen: ReadonlySet<string> = new Set();
  readonly #everSeen = new Set<string>();

  constructor(ports: ServerListsPorts) {
    this.#ports = ports;
  }

  /** The listener receives the name of the profile whose list has changed, or undefined for all. */
  onDidChange(listener: (profileName: string | undefined) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** One section per profile, in the order of the profiles. */
  get sections(): readonly ServerSection[] {
    return [...this.#members.values()].map(({ profile, list, poller }) => ({
      ...profile,
      snapshot: list.current,
      marks: this.#ports.marksOf(profile.profileName),
      actions: this.#ports.actionsOf(profile.profileName),
      nextTryAt: poller.nextPollAt,
    }));
  }

  /** Undefined for a profile that no longer exists. */
  find(profileName: string): ServerListState | undefined {
    return this.#members.get(profileName)?.list;
  }

  /** Shows exactly these profiles in this order; the lists of those that remain are kept. */
  setProfiles(profiles: readonly ListedProfile[]): void {
    const known = new Map(this.#members);
    this.#members.clear();
    for (const profile of profiles) {
      const member = known.get(profile.profileName);
      if (member !== undefined && member.profile.identity !== profile.identity) member.list.reset();
      else if (member !== undefined && member.profile.pricing !== profile.pricing) void member.list.refresh();
      if (member !== undefined) member.profile = profile;
      this.#members.set(profile.profileName, member ?? this.#create(profile));
      known.delete(profile.profileName);
    }
    for (const { stop } of known.values()) stop();
    this.#listeners.emit(undefined);
  }

  /** The profiles that are visible. Others are polled only if they were visible before. */
  setSeen(profileNames: ReadonlySet<string>): void {
    const before = this.#seen;
    this.#seen = profileNames;
    for (const name of profileNames) this.#everSeen.add(name);
    for (const [name, { poller }] of this.#members) {
      if (before.has(name) !== profileNames.has(name)) poller.setVisible(profileNames.has(name));
    }
  }

  /** Requests these lists from time to time, even if they were never visible. */
  start(profileNames: readonly string[]): void {
    for (const name of profileNames) this.#members.get(name)?.poller.start();
  }

  /** Whether the user has looked at the list. */
  wasSeen(profileName: string): boolean {
    return this.#everSeen.has(profileName);
  }

  /** The credential or address has changed: what is known about this profile belongs to the old one. */
  reset(profileName: string): void {
    this.#members.get(profileName)?.list.reset();
  }

  /** The interval was changed, or the window has got or lost the focus: the next polls are rescheduled. */
  paceChanged(): void {
    for (const { poller } of this.#members.values()) poller.paceChanged();
  }

  dispose(): void {
    this.#listeners.clear();
    for (const { stop } of this.#members.values()) stop();
    this.#members.clear();
  }

  #create(profile: ListedProfile): Member {
    const { profileName } = profile;
    const list = new ServerListState(this.#ports.sourceOf(profileName), () => this.#ports.now());
    const poller = new ServerPoller(list, this.#ports);
    const unsubscribe = list.onDidChange(() => this.#listeners.emit(profileName));
    poller.setVisible(this.#seen.has(profileName));
    return {
      profile,
      list,
      poller,
      stop(): void {
        unsubscribe();
        poller.dispose();
        list.dispose();
      },
    };
  }
}
