import { t } from "@vscode/l10n";
import type { Credential } from "../kernel/credential.ts";
import { readHttpAddress } from "../kernel/httpAddress.ts";
import { Listeners } from "../kernel/listeners.ts";
import type {
  LocalGateway,
  LocalGatewayCredentials,
  LocalGatewayMemory,
  LocalGatewayOptions,
  StartLocalGateway,
} from "./localGateway.ts";
import { parseProfiles } from "../account/parseProfiles.ts";
import type { Profile } from "../account/profile.ts";
import { chooseActive, putProfile } from "../account/profileSettings.ts";

export const localGatewayProfileName = "Local gateway";

/** Port: the settings, secrets and memory that a local gateway changes when it starts and stops. */
export interface LocalGatewayHost {
  readonly start: StartLocalGateway;
  /** The setting `inferenceGateway.profiles` as the user wrote it. */
  readProfiles(): unknown;
  writeProfiles(value: readonly unknown[]): Promise<void>;
  /** The setting `inferenceGateway.activeProfile`; empty means the first profile. */
  readActiveName(): string;
  writeActiveName(name: string): Promise<void>;
  storeCredential(profile: Profile, credential: Credential): Promise<void>;
  readMemory(): LocalGatewayMemory;
  writeMemory(memory: LocalGatewayMemory): Promise<void>;
}

/** Runs at most one local gateway and keeps the profile "Local gateway" in sync with it. */
export class LocalGatewayControl {
  readonly #host: LocalGatewayHost;
  readonly #listeners = new Listeners<LocalGateway | undefined>();
  #gateway: LocalGateway | undefined;
  /** Serializes starts and stops. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(host: LocalGatewayHost) {
    this.#host = host;
  }

  get running(): LocalGateway | undefined {
    return this.#gateway;
  }

  onDidChange(listener: (gateway: LocalGateway | undefined) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Starts the gateway unless it is running. A start requested by the user makes its profile the active one; an
   * automatic start does so only if no other profile is in use.
   */
  start(
    options: LocalGatewayOptions,
    { isAutomatic }: { readonly isAutomatic: boolean },
  ): Promise<LocalGateway> {
    return this.#after(async () => {
      if (this.#gateway !== undefined) return this.#gateway;
      const gateway = await this.#listen(options);
      try {
        await this.#announce(gateway, isAutomatic);
      } catch (error) {
        await gateway.stop();
        throw error;
      }
      this.#set(gateway);
      return gateway;
    });
  }

  /** Stops the gateway and switches back to the previously active profile; the gateway's own profile is kept. */
  stop(): Promise<void> {
    return this.#after(async () => {
      const gateway = this.#gateway;
      if (gateway === undefined) return;
      this.#set(undefined);
      await gateway.stop();
      await this.#goBack();
    });
  }

  /** Closes the server without changing any settings, because the window is closing. */
  async close(): Promise<void> {
    await this.#gateway?.stop();
  }

  /** The previous port may be taken now; a port chosen by the user is never replaced silently. */
  async #listen(options: LocalGatewayOptions): Promise<LocalGateway> {
    const { start } = this.#host;
    const { port } = this.#host.readMemory();
    if (options.port !== 0 || port === 0) return start(options);
    return start({ ...options, port }).catch(() => start(options));
  }

  /** The secrets are stored first, so that they can be found as soon as the new addresses are visible. */
  async #announce(gateway: LocalGateway, isAutomatic: boolean): Promise<void> {
    const host = this.#host;
    const { inferenceBaseUrl, gatewayUrl } = gateway;
    const before = parseProfiles(host.readProfiles()).profiles;
    const value = putProfile(host.readProfiles(), {
      name: localGatewayProfileName,
      inferenceBaseUrl,
      gatewayUrl,
    });
    const profile = parseProfiles(value).profiles.find(({ name }) => name === localGatewayProfileName);
    if (profile === undefined) throw new Error(t("The local gateway's profile can't be read."));
    for (const credential of listCredentials(gateway.credentials))
      await host.storeCredential(profile, credential);
    await host.writeProfiles(value);
    const activeName = host.readActiveName();
    const active = chooseActive(before, activeName);
    const isActive = active?.name === localGatewayProfileName;
    const takesOver = active === undefined || !isAutomatic;
    const { previousProfile } = host.readMemory();
    const previous = isActive || !takesOver ? previousProfile : activeName;
    await host.writeMemory({
      port: portOf(inferenceBaseUrl),
      ...(previous === undefined ? {} : { previousProfile: previous }),
    });
    if (takesOver && activeName !== localGatewayProfileName)
      await host.writeActiveName(localGatewayProfileName);
  }

  async #goBack(): Promise<void> {
    const host = this.#host;
    const { port, previousProfile } = host.readMemory();
    await host.writeMemory({ port });
    if (previousProfile === undefined || host.readActiveName() !== localGatewayProfileName) return;
    const { profiles } = parseProfiles(host.readProfiles());
    if (chooseActive(profiles, previousProfile) !== undefined) await host.writeActiveName(previousProfile);
  }

  #set(gateway: LocalGateway | undefined): void {
    this.#gateway = gateway;
    this.#listeners.emit(gateway);
  }

  #after<T>(step: () => Promise<T>): Promise<T> {
    const next = this.#last.then(step);
    this.#last = next.catch(() => undefined);
    return next;
  }
}

function listCredentials(credentials: LocalGatewayCredentials): readonly Credential[] {
  const { apiKey, accessKey, apiSecret, sessionToken, stsToken } = credentials;
  return [
    { kind: "apiKey", apiKey },
    { kind: "accessKey", accessKey, apiSecret },
    { kind: "sessionToken", token: sessionToken },
    { kind: "stsToken", token: stsToken },
  ];
}

function portOf(url: string): number {
  const reading = readHttpAddress(url);
  if ("problem" in reading) return 0;
  return Number(/:(\d+)$/.exec(reading.address.origin)?.[1] ?? 0);
}
