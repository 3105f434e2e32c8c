import * as vscode from "vscode";
import { setTimeout as sleep } from "node:timers/promises";
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

/** The part of the view with the servers that models need. */
interface ServedModelsContext {
  readonly context: ServersContext;
  readonly lists: Pick<ServerLists, "sections">;
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
    if (known?.port === port) {
      await this.#listen();
      return known.localPort;
    }
    const first = port + (port + localOffset + mostPorts < 65_536 ? localOffset : 0);
    for (let localPort = first; localPort < first + mostPorts; localPort++)
      if (await this.#wait(row, port, localPort)) return localPort;
    return undefined;
  }

  /** Closes a way that isn't used after all. */
  close(localPort: number): void {
    this.#tunnels.get(localPort)?.stop();
    this.#tunnels.delete(localPort);
  }

  /** Waits until the endpoint lists models, whose names it resolves with. Undefined if the caller gives up. */
  async ready(
    localPort: number,
    credential: Credential | undefined,
    signal: AbortSignal,
  ): Promise<readonly string[] | undefined> {
    // A separate name, because no stored key is meant for this address.
    const options = endpointProfile("model (check)", endpointUrl("http", "127.0.0.1", localPort));
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
    const url = endpointUrl("http", "127.0.0.1", localPort);
    await putEndpoint(
      this.#view.context,
      { ...endpointProfile(profile, url), defaultModel: model },
      credential,
    );
    const link = { account: row.profileName, key: row.key, model: label, profile, port, localPort, job };
    const others = this.links.filter((each) => each.profile !== profile);
    await globalState.update(modelLinksKey, [link, ...others].slice(0, mostLinks));
    await profiles.select(profile);
    await vscode.commands.executeCommand(commandIds.newChat);
  }

  /** Nothing leads to the model of a job anymore until it is served again. */
  async forget(job: string): Promise<void> {
    for (const { localPort, job: other } of this.links) if (other === job) this.close(localPort);
    const left = this.links.filter((link) => link.job !== job);
    await this.#view.context.globalState.update(modelLinksKey, left.length === 0 ? undefined : left);
  }

  dispose(): void {
    clearInterval(this.#timer);
    for (const localPort of [...this.#tunnels.keys()]) this.close(localPort);
  }

  #find({ profileName, key }: ServerRow, model: string): ModelLink | undefined {
    return this.links.find(
      (link) => link.account === profileName && link.key === key && link.model === model,
    );
  }

  /** Listens where the profiles expect models of servers that run. Nothing is connected for this. */
  async #listen(): Promise<void> {
    for (const { account, key, port, localPort, profile } of this.links) {
      const list = this.#view.lists.sections.find(({ profileName }) => profileName === account)?.snapshot;
      const status = list?.servers.find((each) => each.key === key)?.status;
      const isNeeded = status === "running" && this.#view.context.profiles.find(profile) !== undefined;
      if (isNeeded) await this.#wait({ profileName: account, key }, port, localPort);
      else if (status !== undefined) this.close(localPort);
    }
  }

  /** Whether this window listens at the port of this machine. */
  async #wait(
    server: Pick<ServerRow, "profileName" | "key">,
    port: number,
    localPort: number,
  ): Promise<boolean> {
    const tunnels = await this.#view.loadTunnels();
    const isOpen = this.#tunnels.has(localPort);
    const waiting = isOpen ? undefined : await tunnels.wait(server, { host: "127.0.0.1", port }, localPort);
    if (waiting !== undefined) this.#tunnels.set(localPort, waiting);
    return waiting !== undefined;
  }
}
