/** What VS Code's settings and the environment say about the way to the network, as plain data. */
export interface NetworkSettings {
  /** VS Code's `http.proxy`. */
  readonly proxyUrl?: string;
  /** VS Code's `http.proxyAuthorization`: sent as it is to the proxy of `http.proxy`. */
  readonly proxyAuthorization?: string;
  /** VS Code's `http.noProxy`. */
  readonly noProxy: readonly string[];
  /** VS Code's `http.proxySupport`; `off` means that nothing goes through a proxy. */
  readonly proxySupport: "off" | "on" | "fallback" | "override";
  /** VS Code's `http.proxyStrictSSL`: whether certificates must be trusted. */
  readonly strictSsl: boolean;
  /** VS Code's `http.systemCertificates`. */
  readonly useSystemCertificates: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}
