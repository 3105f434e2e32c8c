import * as vscode from "vscode";
import { localGatewayProfileName } from "../../../core/account/localGateway/localGateway.ts";
import { isRecord, stringsIn } from "../../../core/kernel/json.ts";
import { followChange, isLate, parseExpectedChange } from "../../../core/servers/actions/expectedChange.ts";
import type { ExpectedChange } from "../../../core/servers/actions/expectedChange.ts";
import { localGatewayActions } from "../../../core/servers/actions/localGatewayActions.ts";
import { noActions } from "../../../core/servers/actions/profileActions.ts";
import type { ProfileActions } from "../../../core/servers/actions/profileActions.ts";
import { readCloudActions } from "../../../core/servers/actions/serverAction.ts";
import type { CloudActions, ServerAction } from "../../../core/servers/actions/serverAction.ts";
import type { Server } from "../../../core/servers/server.ts";
import { sha256Hex } from "../../shell/digest.ts";
import { TextDocuments } from "../../shell/textDocuments.ts";
import type { ServersContext } from "../serversHost.ts";

/** The setting with the actions of each profile. */
export const actionsSetting = "servers.actions";
const reviewedKey = "inferenceGateway.reviewedActions";
const changesKey = "inferenceGateway.expectedChanges";
const mostReviewed = 2_000;

/**
 * The actions of each profile, and what was requested. An action counts once the user has reviewed it on this machine:
 * the hash of what was reviewed isn't in the settings, so that nothing that writes them can add or change an action.
 */
export class ActionStore implements vscode.Disposable {
  readonly documents = new TextDocuments("inference-gateway-actions");
  readonly #context: Pick<ServersContext, "profiles" | "globalState">;
  readonly #clouds = new Map<string, CloudActions>();
  readonly #changes = new Map<string, ReadonlyMap<string, ExpectedChange>>();

  constructor(context: Pick<ServersContext, "profiles" | "globalState">) {
    this.#context = context;
  }

  /** Everything in the user's own setting, reviewed or not. Neither a workspace nor an imported profile adds to it. */
  cloudOf(profileName: string): CloudActions {
    const known = this.#clouds.get(profileName);
    if (known !== undefined) return known;
    const setting = actionsOfSetting();
    const read =
      profileName === localGatewayProfileName
        ? localGatewayActions()
        : readCloudActions(Object.hasOwn(setting, profileName) ? setting[profileName] : undefined);
    this.#clouds.set(profileName, read);
    return read;
  }

  /** What counts, for the rows of the tree. */
  of(profileName: string): ProfileActions {
    if (profileName === "") return noActions;
    const reviewed = this.#reviewed();
    const cloud = this.cloudOf(profileName);
    const actions = cloud.actions.filter((action) => this.#counts(profileName, action, reviewed));
    return {
      actions,
      hasConsole:
        this.consoleOf(profileName) !== undefined ||
        this.#context.profiles.find(profileName)?.consoleUrl !== undefined,
      changes: this.#changesOf(profileName),
    };
  }

  /** The template of the link to a server's page, if the user has reviewed it. */
  consoleOf(profileName: string): string | undefined {
    const link = this.cloudOf(profileName).console;
    return link !== undefined && this.#counts(profileName, link, this.#reviewed()) ? link : undefined;
  }

  isReviewed(profileName: string, item: ServerAction | string): boolean {
    return this.#counts(profileName, item, this.#reviewed());
  }

  /** The user has reviewed these actions and links of the profile, as they are now. */
  async accept(profileName: string, items: readonly (ServerAction | string)[]): Promise<void> {
    const hashes = items.map((item) => this.#hash(profileName, item));
    const all = [...new Set([...hashes, ...this.#reviewed()])].slice(0, mostReviewed);
    await this.#context.globalState.update(reviewedKey, all);
  }

  settingChanged(): void {
    this.#clouds.clear();
  }

  /** Sets or removes what is expected of a server. */
  expect(profileName: string, key: string, change: ExpectedChange | undefined): void {
    const changes = new Map(this.#changesOf(profileName));
    if (change === undefined) changes.delete(key);
    else changes.set(key, change);
    this.#changes.set(profileName, changes);
    const stored: unknown = this.#context.globalState.get(changesKey);
    const others = isRecord(stored) ? stored : {};
    void this.#context.globalState.update(changesKey, {
      ...others,
      [profileName]: Object.fromEntries(changes),
    });
  }

  /** Compares what is expected with a new list. */
  listChanged(profileName: string, servers: readonly Server[]): void {
    const now = Date.now();
    for (const [key, change] of this.#changesOf(profileName)) {
      const server = servers.find((each) => each.key === key);
      const next = followChange(change, server, now);
      if (next !== change) this.expect(profileName, key, next);
    }
  }

  /** Whether a row may look different after a while. */
  isWaiting(profileName?: string): boolean {
    const all = profileName === undefined ? this.#changes.values() : [this.#changesOf(profileName)];
    return [...all].some((changes) =>
      [...changes.values()].some(
        (change) => change.doneAt === undefined && (profileName === undefined || !isLate(change, Date.now())),
      ),
    );
  }

  dispose(): void {
    this.documents.dispose();
  }

  /** What was requested in an earlier session is still expected. */
  #changesOf(profileName: string): ReadonlyMap<string, ExpectedChange> {
    const known = this.#changes.get(profileName);
    if (known !== undefined) return known;
    const stored: unknown = this.#context.globalState.get(changesKey);
    const entries = isRecord(stored) && Object.hasOwn(stored, profileName) ? stored[profileName] : undefined;
    const changes = new Map(
      Object.entries(isRecord(entries) ? entries : {}).flatMap(([key, value]) => {
        const change = parseExpectedChange(value);
        return change === undefined ? [] : [[key, change] as const];
      }),
    );
    this.#changes.set(profileName, changes);
    return changes;
  }

  #reviewed(): ReadonlySet<string> {
    return new Set(stringsIn(this.#context.globalState.get(reviewedKey)));
  }

  /** Those of the local gateway are the extension's own. */
  #counts(profileName: string, item: ServerAction | string, reviewed: ReadonlySet<string>): boolean {
    return profileName === localGatewayProfileName || reviewed.has(this.#hash(profileName, item));
  }

  /** What was reviewed for one gateway doesn't count for another. */
  #hash(profileName: string, item: ServerAction | string): string {
    return sha256Hex(
      JSON.stringify([profileName, this.#context.profiles.find(profileName)?.gatewayUrl, item]),
    );
  }
}

/** The user's own setting. */
export function actionsOfSetting(): Readonly<Record<string, unknown>> {
  const value: unknown = vscode.workspace
    .getConfiguration("inferenceGateway")
    .inspect(actionsSetting)?.globalValue;
  return isRecord(value) ? value : {};
}
