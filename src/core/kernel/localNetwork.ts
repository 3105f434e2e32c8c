import { t } from "@vscode/l10n";

const privateHost =
  /^(?:10\.|127\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|\[?f[cd][0-9a-f]{2}:|\[?fe80:)|\.local$/i;

/**
 * What to check when there is no route to a host. macOS reports this for every address of the local network until the
 * user allows VS Code to use it.
 * @param host A host name or an address, without a port.
 */
export function routeAdvice(host: string, platform: string): string {
  return platform === "darwin" && privateHost.test(host)
    ? t(
        "Turn on Visual Studio Code in System Settings > Privacy & Security > Local Network, and check the VPN.",
      )
    : t("Check the network or the VPN.");
}
