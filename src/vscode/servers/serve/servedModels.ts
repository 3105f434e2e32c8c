import * as vscode from "vscode";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceError } from "../../../core/kernel/errors.ts";
import type { Profile } from "../../../core/account/profile.ts";
import type { Credential } from "../../../core/kernel/credential.ts";
import { parseProfiles } from "../../../core/account/parseProfiles.ts";
import {
  endpointProfile,
  endpointUrl,
  freeProfileName,
  isLocalEndpoint,
} from "../../../core/servers/connect/modelEndpoint.ts";
import { parseModelLinks, shortModelName } from "../../../core/servers/serve/servedModel.ts";
import type { ModelLink } from "../../../core/servers/serve/servedModel.ts";
import { mayRun } from "../../../core/servers/server.ts";
import type { Server } from "../../../core/servers/server.ts";
import type { ServerLists } from "../../../core/servers/serverLists.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import type { SshTunnel } from "../../../processes/servers/tunnel.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { putEndpoint } from "../connect/askEndpoint.ts";
import type { ServerTunnels } from "../connect/serverTunnels.ts";
import { modelLinksKey } from "../serversHost.ts";
import type { ServersContext } from "../serversHost.ts";

/** Milliseconds between two looks at which tunnels are needed, between two questions to a model, and for a response. */
const tickMs = 5_000;
const askMs = 2_000;
const listMs = 15_000;
const mostLinks = 50;
/** The ports of this machine are other ones than those of programs that the user runs here. */
const localOffset = 10_000;
const mostPorts = 20;

type ServerKey = Pick<ServerRow, "profileName" | "key">;

/** The part of the view with the servers that models need. */
interface ServedModelsContext {
  readonly context: ServersContext;
  readonly lists: Pick<ServerLists, "sections">;
  readonly jobs: { endOf(server: ServerKey, job: string): "ending" | "ended" | undefined };
  /** The origin of a profile's gateway, which a profile keeps under another name. */
  originOf(profileName: string): string;
  loadTunnels(): Promise<ServerTunnels>;
}

/**
 * The models on servers that this machine has profiles for. Their tunnels listen in one window and connect when they are
 * used, so that a chat of any later window reaches the model, too.
 */
export class ServedModels implements vscode.Disposable {
  readonly #view: ServedModelsContext;
  /** By the port of this machine. */
  readonly #tunnels = new Map<number, SshTunnel>();
  /** The ports whose models are loading, so that no profile leads there yet. */
  readonly #unlinked = new Set<number>();
  readonly #timer: NodeJS.Timeout;
  /** Resolves once this window has listened for what is known at the start. */
  readonly listening: Promise<void>;

  constructor(view: ServedModelsContext) {
    this.#view = view;
    this.#timer = setInterval(() => void this.#listen(), tickMs);
    this.listening = this.#listen();
  }

  get links(): readonly ModelLink[] {
    return parseModelLinks(this.#view.context.globalState.get(modelLinksKey));
  }

  /** The port of this machine that leads to a port of a server. Undefined if none is free. */
  async open(row: ServerRow, port: number, label: string): Promise<number | undefined> {
    const known = this.#find(row, label);
    // Another window may listen there.
    if (known?.port === port && this.#endOf(known) === undefined) {
      await this.#listen();
      return known.localPort;
    }
    const first = port + (port + localOffset + mostPorts < 65_536 ? localOffset : 0);
    for (let localPort = first; localPort < first + mostPorts; localPort++)
      if (await this.#wait(row, port, localPort)) {
        this.#unlinked.add(localPort);
        return localPort;
      }
    return undefined;
  }

  /** Closes a way that isn't used after all. */
  close(localPort: number): void {
    this.#tunnels.get(localPort)?.stop();
    this.#tunnels.delete(localPort);
    this.#unlinked.delete(localPort);
  }

  /** Waits until the endpoint lists models, whose names it resolves with. Undefined if the caller gives up. */
  async ready(
    localPort: number,
    credential: Credential | undefined,
    signal: AbortSignal,
  ): Promise<readonly string[] | undefined> {
    // A separate name, because no stored key is meant for this address.
    const options = endpointProfile("model (check)", endpointUrl("127.0.0.1", localPort));
    const [profile] = parseProfiles([options]).profiles;
    while (profile !== undefined && !signal.aborted) {
      try {
        const client = await this.#view.context.clients.inference(profile, credential);
        const models = await client.listModels(AbortSignal.any([signal, AbortSignal.timeout(listMs)]));
        if (models.length > 0) return models.map(({ id }) => id);
      } catch {
        // It isn't there yet, or loads.
      }
      await sleep(askMs, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }

  /** Creates the profile, or updates that of an earlier time, and opens a chat. */
  async chat(
    row: ServerRow,
    endpoint: Pick<ModelLink, "port" | "localPort" | "job"> & {
      /** Its name in the list of models; undefined for an endpoint that keeps it to itself. */
      readonly model: string | undefined;
      /** By which it is found again. */
      readonly label: string;
      readonly credential: Credential | undefined;
    },
  ): Promise<void> {
    const { profiles, globalState } = this.#view.context;
    const { port, localPort, model, label, credential, job } = endpoint;
    const proposal = vscode.l10n.t("{0} on {1}", shortModelName(label), serverName(row.server));
    const taken = this.links.map((link) => link.profile);
    const known = this.#find(row, label)?.profile ?? freeProfileName(proposal, taken);
    const isAgain = isLocalEndpoint(profiles.find(known)?.inferenceBaseUrl ?? "");
    const profile = isAgain ? known : freeProfileName(known, profiles.names);
    const url = endpointUrl("127.0.0.1", localPort);
    await putEndpoint(
      this.#view.context,
      { ...endpointProfile(profile, url), defaultModel: model },
      credential,
    );
    const gateway = this.#view.originOf(row.profileName);
    const link = { gateway, key: row.key, model: label, profile, port, localPort, job };
    const others = this.links.filter((each) => each.profile !== profile);
    await globalState.update(modelLinksKey, [link, ...others].slice(0, mostLinks));
    this.#unlinked.delete(localPort);
    await profiles.select(profile);
    await vscode.commands.executeCommand(commandIds.newChat);
  }

  /** Resolves once the model of a profile may respond. Rejects with the reason if it is known not to be served. */
  async reach(profile: Profile): Promise<void> {
    await this.listening;
    // What only checks an address has a profile of its own.
    if (this.#view.context.profiles.find(profile.name) === undefined) return;
    const links = this.links.filter((link) => urlOf(link) === profile.inferenceBaseUrl);
    const ends = links.map((link) => this.#endOf(link));
    const link = links.find(({ profile: name }) => name === profile.name) ?? links[0];
    if (link === undefined || ends.includes(undefined)) return;
    const server = this.#placeOf(link).server;
    const names = [
      shortModelName(link.model),
      server === undefined ? link.gateway : serverName(server),
    ] as const;
    const state =
      server !== undefined && !mayRun(server)
        ? vscode.l10n.t("{0} isn't running. Start it first.", names[1])
        : ends.includes("ending")
          ? vscode.l10n.t("{0} on {1} is being stopped.", ...names)
          : vscode.l10n.t("{0} is no longer served on {1}.", ...names);
    const again = vscode.l10n.t("To serve the model again, select “Serve a Model…” in its server's menu.");
    throw new ServiceError({ reason: "unavailable", message: `${state} ${again}` });
  }

  dispose(): void {
    clearInterval(this.#timer);
    for (const localPort of [...this.#tunnels.keys()]) this.close(localPort);
  }

  #find({ profileName, key }: ServerRow, model: string): ModelLink | undefined {
    const gateway = this.#view.originOf(profileName);
    return this.links.find((link) => link.gateway === gateway && link.key === key && link.model === model);
  }

  /** Listens where the profiles expect models of servers that run. Nothing is connected for this. */
  async #listen(): Promise<void> {
    const { profiles } = this.#view.context;
    // A profile may have been renamed.
    const urls = new Set(profiles.all.map(({ inferenceBaseUrl }) => inferenceBaseUrl));
    const needed = this.links.filter((link) => urls.has(urlOf(link)) && this.#endOf(link) !== "ended");
    const kept = new Set([...this.#unlinked, ...needed.map(({ localPort }) => localPort)]);
    for (const localPort of [...this.#tunnels.keys()]) if (!kept.has(localPort)) this.close(localPort);
    for (const link of needed) {
      const { profileName, server } = this.#placeOf(link);
      if (server !== undefined) await this.#wait({ profileName, key: link.key }, link.port, link.localPort);
    }
  }

  /** A profile of the gateway, if possible one in whose list the server is, with that server. */
  #placeOf({ gateway, key }: ModelLink): { readonly profileName: string; readonly server?: Server } {
    const sections = this.#view.lists.sections.filter(
      ({ profileName }) => this.#view.originOf(profileName) === gateway,
    );
    for (const { profileName, snapshot } of sections) {
      const server = snapshot.servers.find((each) => each.key === key);
      if (server !== undefined) return { profileName, server };
    }
    return { profileName: sections[0]?.profileName ?? "" };
  }

  /** What becomes of the model of a link. Undefined as long as nothing is known to have ended. */
  #endOf(link: ModelLink): "ending" | "ended" | undefined {
    const { key, job } = link;
    const { profileName, server } = this.#placeOf(link);
    if (server !== undefined && !mayRun(server)) return "ended";
    return job === undefined ? undefined : this.#view.jobs.endOf({ profileName, key }, job);
  }

  /** Whether this window listens at the port of this machine. */
  async #wait(server: ServerKey, port: number, localPort: number): Promise<boolean> {
    const tunnels = await this.#view.loadTunnels();
    const isOpen = this.#tunnels.has(localPort);
    const waiting = isOpen ? undefined : await tunnels.wait(server, { host: "127.0.0.1", port }, localPort);
    if (waiting !== undefined) this.#tunnels.set(localPort, waiting);
    return waiting !== undefined;
  }
}

/** The address on this machine that leads to a model, which its profile has. */
function urlOf({ localPort }: ModelLink): string {
  return endpointUrl("127.0.0.1", localPort);
}
