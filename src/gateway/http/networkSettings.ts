import type { Profile } from "../../core/account/profile.ts";

/** Network settings from VS Code and the environment, as plain data. */
export interface NetworkSettings {
  /** VS Code's `http.proxy`. */
  readonly proxyUrl?: string;
  /** VS Code's `http.proxyAuthorization`: sent unchanged to the proxy of `http.proxy`. */
  readonly proxyAuthorization?: string;
  /** VS Code's `http.noProxy`. */
  readonly noProxy: readonly string[];
  /** VS Code's `http.proxySupport`; `off` means that no proxy is used. */
  readonly proxySupport: "off" | "on" | "fallback" | "override";
  /** VS Code's `http.proxyStrictSSL`: whether certificates must be trusted. */
  readonly strictSsl: boolean;
  /** VS Code's `http.systemCertificates`. */
  readonly useSystemCertificates: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The profile's own proxy, or `direct`. It takes precedence over everything else. */
  readonly ownProxy?: string;
  /** Path of a PEM file with the profile's own issuers. */
  readonly caFile?: string;
}

/** The options of a profile that replace settings of VS Code. */
export type OwnNetwork = Pick<Profile, "proxy" | "caFile">;

export function withOwnNetwork(settings: NetworkSettings, { proxy, caFile }: OwnNetwork): NetworkSettings {
  return {
    ...settings,
    ...(proxy === undefined ? {} : { ownProxy: proxy }),
    ...(caFile === undefined ? {} : { caFile }),
  };
}
