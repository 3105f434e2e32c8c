import * as vscode from "vscode";
import { localGatewayProfileName } from "../../core/account/localGateway/localGateway.ts";
import type { LocalGatewayControl } from "../../core/account/localGateway/localGatewayControl.ts";
import { needsApiKey } from "../../core/account/profile.ts";
import type { Profile } from "../../core/account/profile.ts";
import { isAvailable } from "../../core/account/secretVault.ts";
import type { SecretVault } from "../../core/account/secretVault.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { Notice } from "../../core/panel/protocol.ts";
import { setupNotice } from "../../core/panel/setupNotice.ts";
import type { Profiles } from "../account/profiles/profiles.ts";

/** Keeps track of what is missing before a chat can start, and emits an event when that or its fix changes. */
export class SetupWatch implements vscode.Disposable {
  readonly #profiles: Profiles;
  readonly #vault: SecretVault;
  readonly #gateway: LocalGatewayControl;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #disposables: vscode.Disposable[];
  #notice: Notice | undefined;
  #round = 0;
  /** Resolves when the current state is known. */
  #known: Promise<void>;

  /** Fires when the profile, its key or the local gateway has changed, so that loaded data is outdated. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(profiles: Profiles, vault: SecretVault, gateway: LocalGatewayControl) {
    this.#profiles = profiles;
    this.#vault = vault;
    this.#gateway = gateway;
    const update = (): void => void (this.#known = this.#update());
    this.#disposables = [
      profiles.onDidChange(update),
      { dispose: vault.onDidChange(update) },
      { dispose: gateway.onDidChange(update) },
      this.#onDidChange,
    ];
    this.#known = this.#update();
  }

  get notice(): Notice | undefined {
    return this.#notice;
  }

  ready(): Promise<void> {
    return this.#known;
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #update(): Promise<void> {
    const round = ++this.#round;
    const profile = this.#profiles.active;
    const reading = profile === undefined ? undefined : await this.#vault.read(profile, "apiKey");
    if (round !== this.#round) return;
    this.#notice = setupNotice({
      ...(profile === undefined ? {} : { profileName: profile.name }),
      ...(profile?.inferenceBaseUrl === undefined ? {} : { inferenceBaseUrl: profile.inferenceBaseUrl }),
      hasConsole: profile?.consoleUrl !== undefined,
      hasApiKey: reading !== undefined && isAvailable(reading),
      needsApiKey: profile === undefined || needsApiKey(profile),
      isLocalGatewayProfile: profile?.name === localGatewayProfileName,
      isLocalGatewayRunning: this.#gateway.running !== undefined,
      problems: this.#profiles.problems,
    });
    this.#onDidChange.fire();
  }
}

/** The active profile. Throws a ServiceError `configuration` if there is none that can send requests. */
export function requireInferenceProfile(profiles: Profiles): Profile {
  const profile = profiles.active;
  if (profile?.inferenceBaseUrl !== undefined) return profile;
  throw new ServiceError({
    reason: "configuration",
    message:
      profiles.problems[0] ??
      vscode.l10n.t(
        "There is no profile with an inference base URL. Add a profile or start the local gateway.",
      ),
  });
}
