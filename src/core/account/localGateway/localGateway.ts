import type { Profile } from "../profile.ts";
import type { Credential } from "../../kernel/credential.ts";

/** The throwaway credentials of a running local gateway, one for each authentication method (interface section 5). */
export interface LocalGatewayCredentials {
  readonly apiKey: string;
  readonly accessKey: string;
  readonly apiSecret: string;
  readonly sessionToken: string;
  readonly stsToken: string;
}

/** A local gateway listening on loopback. */
export interface LocalGateway {
  /** Such as `http://127.0.0.1:1234/v1`. */
  readonly inferenceBaseUrl: string;
  /** Such as `http://127.0.0.1:1234`. */
  readonly gatewayUrl: string;
  /** Undefined if another window runs it, which has stored them. */
  readonly credentials?: LocalGatewayCredentials;
  /** Only if another window runs it: resolves when the user has stopped it there, or when it has gone with that window. */
  readonly ended?: Promise<"stopped" | "dead">;
  /**
   * Resolves when everything that it opened is closed.
   *
   * @param isWish The user has stopped it, so that no other window continues it.
   */
  stop(isWish?: boolean): Promise<void>;
}

/**
 * Port: starts the server side, which is loaded only then. Rejects if it can't listen.
 *
 * @param port 0 selects any free port.
 */
export type StartLocalGateway = (port: number) => Promise<LocalGateway>;

/** The same in each window, so that all of them share one gateway and its profile. Registered for no other service. */
export const localGatewayPort = 47_913;

/** The profile that the extension creates for a local gateway and changes with it. */
export const localGatewayProfileName = "Local gateway";

/** Port: the profiles, secrets and memory that a local gateway changes when it starts and stops. */
export interface LocalGatewayHost {
  readonly start: StartLocalGateway;
  /** The gateway of another window of this VS Code, if that is what listens on the port. */
  join(port: number): Promise<LocalGateway | undefined>;
  readonly profiles: {
    /** All profiles as the user wrote them, with that of the local gateway. */
    readRaw(): unknown;
    writeRaw(value: readonly unknown[]): Promise<void>;
    /** Empty means the first profile. */
    readonly activeName: string;
    select(name: string): Promise<void>;
  };
  storeCredential(profile: Profile, credential: Credential): Promise<void>;
  /** The active profile before the local gateway replaced it, which is kept between sessions. */
  readPrevious(): string | undefined;
  writePrevious(name: string | undefined): Promise<void>;
}
