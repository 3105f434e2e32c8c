import * as vscode from "vscode";
import type { Profile } from "../../core/account/profile.ts";
import { ServiceError, logFailure } from "../../core/kernel/errors.ts";
import { PricedServers } from "../../core/servers/cost/pricedServers.ts";
import type { ServerList } from "../../core/servers/server.ts";
import type { ServerListSnapshot, ServerSource } from "../../core/servers/serverListState.ts";
import type { ServerLists } from "../../core/servers/serverLists.ts";
import { ServerListReader } from "../../gateway/servers/readServerList.ts";
import type { ListOwner } from "../../storage/records/serverListTable.ts";
import { ServerListTable, listOwner } from "../../storage/records/serverListTable.ts";
import { ServerRunTable } from "../../storage/records/serverRunTable.ts";
import { ServerUseTable } from "../../storage/records/serverUseTable.ts";
import { settings } from "../shell/settings.ts";
import type { ServersContext } from "./serversHost.ts";

/** The last lists, stored so that the next start can show them immediately. */
export class KeptLists {
  readonly #context: ServersContext;
  readonly #lists: ServerLists;
  readonly #stored: ServerListTable;

  constructor(context: ServersContext, serversView: ServerLists) {
    this.#context = context;
    this.#lists = serversView;
    this.#stored = new ServerListTable(context.records, () => performance.now());
  }

  /** Shows the lists that an earlier session loaded with the same profiles and credentials. */
  async restore(): Promise<void> {
    await Promise.all(
      this.#lists.sections.map(async ({ profileName }) => {
        const owner = await readListOwner(this.#context, profileName);
        const stored = owner === undefined ? undefined : await this.#stored.read(owner);
        if (stored !== undefined) this.#lists.find(profileName)?.restore(stored);
      }),
    );
  }

  /** Stores a valid list. */
  async keep(profileName: string, snapshot: ServerListSnapshot): Promise<void> {
    if (snapshot.error !== undefined || snapshot.isRestored === true || snapshot.state === "loading") return;
    const owner = await readListOwner(this.#context, profileName);
    // If the credential has changed in the meantime, the list is a different one.
    const isCurrent = this.#lists.find(profileName)?.current.listedAt === snapshot.listedAt;
    if (owner === undefined || !isCurrent) return;
    await this.#stored.write(owner, snapshot);
    await this.#stored.forget(profileName, owner);
  }

  /** Removes everything stored for a profile. */
  async forget(profileName: string): Promise<void> {
    await this.#stored.forget(profileName);
  }
}

/**
 * The server list of a profile's gateway, requested with the current profile and credential.
 * @param wasSeen Whether the user has looked at the list.
 */
export function createServerListSource(
  context: ServersContext,
  profileName: string,
  wasSeen: () => boolean,
): ServerSource {
  const reader = new ServerListReader();
  const priced = new PricedServers();
  return {
    list() {
      const controller = new AbortController();
      const options = { reader, signal: controller.signal, isUnattended: !wasSeen() };
      const list = ask(context, profileName, options).then((found) => ({
        ...found,
        servers: priced.apply(found.servers, context.profiles.find(profileName)?.serverPrices),
      }));
      return { list, stop: () => controller.abort() };
    },
  };
}

/** The owner of the profile's current list. Undefined without a credential. */
async function readListOwner(
  { profiles, vault }: ServersContext,
  profileName: string,
): Promise<ListOwner | undefined> {
  const profile = profiles.find(profileName);
  if (profile === undefined) return undefined;
  return listOwner(profile, await vault.read(profile, profile.gatewayCredential));
}

async function ask(
  { profiles, clients, log }: ServersContext,
  profileName: string,
  options: {
    readonly reader: ServerListReader;
    readonly signal: AbortSignal;
    readonly isUnattended: boolean;
  },
): Promise<ServerList> {
  const { signal } = options;
  try {
    const paging = settings.listPaging();
    return await clients.listServers(requireGateway(profiles.find(profileName)), {
      ...options,
      mapping: settings.fieldMapping(),
      ...(paging === undefined ? {} : { paging }),
    });
  } catch (error) {
    if (!signal.aborted) logFailure(log, error);
    throw error;
  }
}

function requireGateway(profile: Profile | undefined): Profile {
  if (profile === undefined) throw notSignedIn(vscode.l10n.t("Add a profile to connect your GPU cloud."));
  if (profile.gatewayUrl === undefined) {
    throw notSignedIn(vscode.l10n.t("The profile “{0}” has no gateway URL.", profile.name));
  }
  return profile;
}

function notSignedIn(message: string): ServiceError {
  return new ServiceError({ reason: "missingCredential", message });
}

/**
 * Deletes the lists that were loaded with a credential that the profile no longer uses and, after signing out, what its
 * servers have done. A credential from elsewhere, such as a command, may only be missing for now.
 */
export async function forgetLists(context: ServersContext, profileName: string): Promise<void> {
  const owner = await readListOwner(context, profileName);
  const stored = new ServerListTable(context.records, () => performance.now());
  await stored.forget(profileName, owner);
  const isElsewhere = context.profiles.find(profileName)?.credentialSources !== undefined;
  if (owner !== undefined || isElsewhere) return;
  await new ServerRunTable(context.records).forget(profileName);
  await new ServerUseTable(context.records).forget(profileName);
}

/**
 * Lists the servers of the profiles for which nothing has to be asked: those with a stored credential that is valid.
 * @param load Loads the lists, which isn't necessary without such a profile.
 */
export async function startQuietly(
  { profiles, vault }: ServersContext,
  load: () => Promise<{ readonly lists: ServerLists }>,
): Promise<void> {
  const found = await Promise.all(
    profiles.all.map(async (profile) => {
      if (profile.gatewayUrl === undefined) return [];
      const credential = await vault.read(profile, profile.gatewayCredential);
      const isValid = credential.state === "present" && (credential.expiresAt ?? Infinity) > Date.now();
      return isValid ? [profile.name] : [];
    }),
  );
  const names = found.flat();
  if (names.length > 0) (await load()).lists.start(names);
}
