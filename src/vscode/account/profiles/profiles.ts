import * as vscode from "vscode";
import type { Log } from "../../../core/kernel/log.ts";
import { parseProfiles } from "../../../core/account/parseProfiles.ts";
import type { Profile } from "../../../core/account/profile.ts";
import {
  activeProblem,
  chooseActive,
  putProfile,
  splitProfiles,
  withLocalProfile,
} from "../../../core/account/profileSettings.ts";
import type { ProfileOptions } from "../../../core/account/profileSettings.ts";

interface ProfilesState {
  readonly profiles: readonly Profile[];
  readonly active: Profile | undefined;
  /** Full sentences for the user. */
  readonly problems: readonly string[];
}

/** Not a setting: the contents of a workspace must not decide where credentials are sent. */
const workspaceKey = "inferenceGateway.workspaceProfile";

/** Not in the setting, which is synced to other machines. */
const localProfileKey = "inferenceGateway.localProfile";

/**
 * The profiles in the user's settings and that of the local gateway, and the active one: this workspace's own, or the
 * one for all workspaces.
 */
export class Profiles implements vscode.Disposable {
  readonly #log: Log;
  readonly #workspaceState: vscode.Memento;
  readonly #globalState: vscode.Memento;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  #state: ProfilesState;
  /** Selected for all workspaces, but not yet in the settings. */
  #selecting: string | undefined;

  /** Fires when a profile, the active profile or a problem has changed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(
    log: Log,
    { workspaceState, globalState }: Pick<vscode.ExtensionContext, "workspaceState" | "globalState">,
  ) {
    this.#log = log;
    this.#workspaceState = workspaceState;
    this.#globalState = globalState;
    this.#state = readState(this.readRaw(), this.activeName);
    this.#report([]);
    this.#subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("inferenceGateway")) this.#refresh();
    });
  }

  get all(): readonly Profile[] {
    return this.#state.profiles;
  }

  get active(): Profile | undefined {
    return this.#state.active;
  }

  get problems(): readonly string[] {
    return this.#state.problems;
  }

  get names(): readonly string[] {
    return this.all.map(({ name }) => name);
  }

  find(name: string): Profile | undefined {
    return this.all.find((profile) => profile.name === name);
  }

  /** Creates the profile or changes these options of it. Resolves when `find` returns it. */
  async put(options: ProfileOptions): Promise<void> {
    await this.writeRaw(putProfile(this.readRaw(), options));
  }

  /**
   * Makes the profile with this name active: for this workspace if it has its own, otherwise for all other workspaces.
   * An empty name means the one for all workspaces, or the first one. Takes effect at once, because VS Code may take
   * seconds to write a setting, and the user's next command would apply to the previous profile.
   */
  async select(name: string): Promise<void> {
    if (this.workspaceName !== undefined) return this.selectForWorkspace(name === "" ? undefined : name);
    this.#selecting = name;
    this.#refresh();
    try {
      await configuration().update("activeProfile", name, vscode.ConfigurationTarget.Global);
    } finally {
      if (this.#selecting === name) this.#selecting = undefined;
      this.#refresh();
    }
  }

  /**
   * Makes the profile the default of this workspace, whatever is selected elsewhere. Undefined removes that default.
   */
  async selectForWorkspace(name: string | undefined): Promise<void> {
    await this.#workspaceState.update(workspaceKey, name);
    this.#refresh();
  }

  /** The name of this workspace's own profile, if the user has selected one. */
  get workspaceName(): string | undefined {
    const name: unknown = this.#workspaceState.get(workspaceKey);
    return typeof name === "string" && name !== "" ? name : undefined;
  }

  /** The selected name, even if no profile has it. Empty means the first profile. */
  get activeName(): string {
    const name: unknown = this.workspaceName ?? this.#selecting ?? configuration().get("activeProfile");
    return typeof name === "string" ? name : "";
  }

  /** All entries as the user wrote them, including unreadable ones. */
  readRaw(): unknown {
    return withLocalProfile(readSynced(), this.#globalState.get(localProfileKey), this.activeName);
  }

  async writeRaw(value: readonly unknown[]): Promise<void> {
    const { synced, local } = splitProfiles(value);
    await this.#globalState.update(localProfileKey, local);
    if (JSON.stringify(synced) !== JSON.stringify(readSynced() ?? []))
      await configuration().update("profiles", synced, vscode.ConfigurationTarget.Global);
    this.#refresh();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  #refresh(): void {
    const { problems: known } = this.#state;
    const state = readState(this.readRaw(), this.activeName);
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#report(known);
    this.#onDidChange.fire();
  }

  #report(known: readonly string[]): void {
    for (const problem of this.problems) if (!known.includes(problem)) this.#log.warn(problem);
  }
}

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("inferenceGateway");
}

function readSynced(): unknown {
  return configuration().get("profiles");
}

function readState(value: unknown, activeName: string): ProfilesState {
  const { profiles, problems } = parseProfiles(value);
  const missing = activeProblem(profiles, activeName);
  return {
    profiles,
    active: chooseActive(profiles, activeName),
    problems: missing === undefined ? problems : [...problems, missing],
  };
}
