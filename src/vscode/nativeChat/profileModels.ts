import * as vscode from "vscode";
import { needsApiKey } from "../../core/account/profile.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { SecretVault } from "../../core/account/secretVault.ts";
import type { Model } from "../../core/conversation/completion.ts";
import { applyCapabilities } from "../../core/conversation/modelCatalog.ts";
import { logFailure } from "../../core/kernel/errors.ts";
import type { Log } from "../../core/kernel/log.ts";
import { listedModels } from "../account/listedModels.ts";
import type { ModelMemory } from "../account/modelMemory.ts";
import type { Profiles } from "../account/profiles/profiles.ts";
import { chatSettings } from "../conversation/chatSettings.ts";
import type { Clients } from "../shell/clientFactory.ts";

/** What is needed to list the models of all profiles. */
export interface ProfileModelsContext {
  readonly profiles: Profiles;
  readonly vault: SecretVault;
  readonly clients: Clients;
  /** The model names that the user has typed. */
  readonly models: ModelMemory;
  readonly globalState: vscode.Memento;
  readonly log: Log;
}

/** A list is requested again after this many milliseconds, or sooner if it couldn't be read. */
const [freshMs, failedMs] = [10 * 60_000, 30_000] as const;
/** The models of the other profiles don't wait longer than this many milliseconds for a server. */
const longestWaitMs = 5_000;
interface Refresh {
  readonly done: Promise<boolean>;
  /** Monotonic milliseconds. */
  dueAt: number;
}

/** The models of every profile that can send requests. The last known lists are offered at once, even when offline. */
export class ProfileModels implements vscode.Disposable {
  readonly #context: ProfileModelsContext;
  readonly #refreshes = new Map<string, Refresh>();
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #disposable: vscode.Disposable;
  readonly #abort = new AbortController();

  /** Fires when a list differs from what was offered. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(context: ProfileModelsContext) {
    this.#context = context;
    const restart = (): void => {
      this.#refreshes.clear();
      this.#onDidChange.fire();
    };
    this.#disposable = vscode.Disposable.from(
      this.#onDidChange,
      context.profiles.onDidChange(restart),
      { dispose: context.vault.onDidChange(restart) },
      vscode.workspace.onDidChangeConfiguration((change) => {
        const names = ["models.capabilities", "chat.prices"];
        if (names.some((name) => change.affectsConfiguration(`inferenceGateway.${name}`))) restart();
      }),
    );
  }

  /**
   * The known models of each profile. Unknown lists are awaited, but not for long; others are requested again in the
   * background if they are old.
   */
  async list(): Promise<readonly { readonly profile: Profile; readonly models: readonly Model[] }[]> {
    const usable = await Promise.all(this.#context.profiles.all.map((profile) => this.#isUsable(profile)));
    const profiles = this.#context.profiles.all.filter((_, index) => usable[index] === true);
    await Promise.all(profiles.map((profile) => this.#prepare(profile)));
    return profiles.map((profile) => ({ profile, models: this.#offered(profile) }));
  }

  /** What is known about the model. */
  find(profile: Profile, model: string): Model | undefined {
    return this.#offered(profile).find(({ id }) => id === model);
  }

  dispose(): void {
    this.#abort.abort();
    this.#disposable.dispose();
  }

  async #isUsable(profile: Profile): Promise<boolean> {
    if (profile.inferenceBaseUrl === undefined) return false;
    const { state } = await this.#context.vault.read(profile, "apiKey");
    return state === "present" || state === "supplied" || !needsApiKey(profile);
  }

  async #prepare(profile: Profile): Promise<void> {
    const refreshed = this.#refresh(profile);
    const isIncluded =
      listedModels(this.#context.globalState, profile) === undefined &&
      (await Promise.race([refreshed.then(() => true), pause(longestWaitMs).then(() => false)]));
    if (!isIncluded) void refreshed.then((hasChanged) => hasChanged && this.#onDidChange.fire());
  }

  #offered(profile: Profile): readonly Model[] {
    const known = listedModels(this.#context.globalState, profile) ?? [];
    const typed = this.#context.models
      .typed(profile.name)
      .filter((id) => known.every((model) => model.id !== id));
    return applyCapabilities([...known, ...typed.map((id) => ({ id }))], chatSettings.capabilities());
  }

  /** Resolves to whether this request has changed the list. A list that is recent enough isn't requested again. */
  #refresh(profile: Profile): Promise<boolean> {
    const last = this.#refreshes.get(profile.name);
    if (last !== undefined && performance.now() < last.dueAt) return last.done.then(() => false);
    const done = this.#request(profile).catch((error: unknown) => {
      refresh.dueAt = performance.now() + failedMs;
      if (!this.#abort.signal.aborted) logFailure(this.#context.log, error);
      return false;
    });
    const refresh: Refresh = { done, dueAt: performance.now() + freshMs };
    this.#refreshes.set(profile.name, refresh);
    return done;
  }

  async #request(profile: Profile): Promise<boolean> {
    const { globalState, clients } = this.#context;
    const before = JSON.stringify(listedModels(globalState, profile));
    await (await clients.inference(profile)).listModels(this.#abort.signal);
    return JSON.stringify(listedModels(globalState, profile)) !== before;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
