import * as vscode from "vscode";
import { needsApiKey } from "../../core/account/profile.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { SecretVault } from "../../core/account/secretVault.ts";
import type { Model } from "../../core/conversation/completion.ts";
import { applyCapabilities, parseCapabilityTable } from "../../core/conversation/modelCapabilities.ts";
import { logFailure } from "../../core/kernel/failureMessage.ts";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import type { Log } from "../../core/kernel/log.ts";
import type { ModelMemory } from "../account/modelMemory.ts";
import type { Profiles } from "../account/profiles/profiles.ts";
import { chatSettings } from "../conversation/chatSettings.ts";
import type { Clients } from "../shell/clientFactory.ts";

export interface ProfileModelsContext {
  readonly profiles: Profiles;
  readonly vault: SecretVault;
  readonly clients: Clients;
  /** The model names that the user has typed. */
  readonly models: ModelMemory;
  readonly globalState: vscode.Memento;
  readonly log: Log;
}

const key = "inferenceGateway.nativeModels";
/** A list is requested again after this many milliseconds. */
const freshMs = 10 * 60_000;
const mostModels = 1_000;

/** The models of every profile that can send requests. The last known lists are offered at once, also when offline. */
export class ProfileModels implements vscode.Disposable {
  readonly #context: ProfileModelsContext;
  readonly #askedAt = new Map<string, number>();
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #disposable: vscode.Disposable;
  readonly #abort = new AbortController();

  /** Fires when a list differs from what was offered. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(context: ProfileModelsContext) {
    this.#context = context;
    const restart = (): void => {
      this.#askedAt.clear();
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
   * The known models of each profile. Lists that aren't known are waited for; others are requested again in the
   * background if they are old.
   */
  async list(): Promise<readonly { readonly profile: Profile; readonly models: readonly Model[] }[]> {
    const usable = await Promise.all(this.#context.profiles.all.map((profile) => this.#isUsable(profile)));
    const profiles = this.#context.profiles.all.filter((_, index) => usable[index] === true);
    await Promise.all(
      profiles.map(async (profile) => {
        const refreshed = this.#refresh(profile);
        if (this.#known(profile) === undefined) await refreshed;
      }),
    );
    return profiles.map((profile) => ({ profile, models: this.#offered(profile) }));
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

  #offered({ name }: Profile): readonly Model[] {
    const known = this.#lists()[name] ?? [];
    const typed = this.#context.models.typed(name).filter((id) => known.every((model) => model.id !== id));
    return applyCapabilities([...known, ...typed.map((id) => ({ id }))], chatSettings.capabilities());
  }

  /** Undefined if the list was requested from another address, or never. */
  #known({ name }: Profile): readonly Model[] | undefined {
    return this.#lists()[name];
  }

  async #refresh(profile: Profile): Promise<void> {
    const { clients, globalState, log } = this.#context;
    const last = this.#askedAt.get(profile.name);
    if (last !== undefined && performance.now() - last < freshMs) return;
    this.#askedAt.set(profile.name, performance.now());
    try {
      const client = await clients.inference(profile);
      const models = (await client.listModels(this.#abort.signal)).slice(0, mostModels);
      const before = JSON.stringify(this.#known(profile));
      if (JSON.stringify(models) === before) return;
      await globalState.update(key, { ...this.#lists(), [profile.name]: models });
      if (before !== undefined) this.#onDidChange.fire();
    } catch (error) {
      if (!this.#abort.signal.aborted) logFailure(log, error);
    }
  }

  #lists(): Readonly<Record<string, readonly Model[]>> {
    const stored: unknown = this.#context.globalState.get(key);
    if (!isRecord(stored)) return {};
    return Object.fromEntries(
      Object.entries(stored).map(([name, list]) => [
        name,
        Array.isArray(list) ? list.flatMap(parseModel) : [],
      ]),
    );
  }
}

/** What an earlier version stored may look different. */
function parseModel(value: unknown): readonly Model[] {
  if (!isRecord(value)) return [];
  const [id, name, contextLength] = [
    stringField(value, "id"),
    stringField(value, "name"),
    value["contextLength"],
  ];
  if (id === undefined) return [];
  const { [id]: capabilities = {} } = parseCapabilityTable({
    [id]: { vision: value["supportsImages"], audio: value["supportsAudio"], contextLength },
  });
  return [{ id, ...(name === undefined ? {} : { name }), ...capabilities }];
}
