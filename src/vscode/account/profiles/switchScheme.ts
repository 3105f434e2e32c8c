import * as vscode from "vscode";
import { isLoopbackHost } from "../../../core/kernel/loopback.ts";
import { showWarningMessage } from "../../shell/window.ts";
import type { Profiles } from "./profiles.ts";

/**
 * Changes the scheme of one of a profile's addresses to the one that its server speaks. From https to http only after
 * the user has confirmed it, unless the server is on this machine.
 */
export async function switchScheme(
  profiles: Profiles,
  profileName: string | undefined,
  role: "inferenceBaseUrl" | "gatewayUrl",
  scheme: "http" | "https",
): Promise<void> {
  const profile = profileName === undefined ? undefined : profiles.find(profileName);
  const url = URL.parse(profile?.[role] ?? "");
  if (profile === undefined || url === null || !/^https?:$/.test(url.protocol)) return;
  if (scheme === "http" && !isLoopbackHost(url.hostname) && !(await confirmPlain(url.host))) return;
  // The server was asked at this port, whether the address names it or not.
  const port = url.port === "" ? defaultPort(url.protocol) : url.port;
  const authority = port === defaultPort(`${scheme}:`) ? url.hostname : `${url.hostname}:${port}`;
  const address = profile[role]?.replace(/^https?:\/\/[^/?#]*/i, `${scheme}://${authority}`);
  if (address !== undefined) await profiles.put({ name: profile.name, [role]: address });
}

function defaultPort(protocol: string): string {
  return protocol === "https:" ? "443" : "80";
}

async function confirmPlain(host: string): Promise<boolean> {
  const use = vscode.l10n.t("Use http");
  const picked = await showWarningMessage(
    vscode.l10n.t("Use http for {0}?", host),
    {
      modal: true,
      detail: vscode.l10n.t(
        "Plain http isn't encrypted: anyone on the network can read the credentials and the conversations.",
      ),
    },
    use,
  );
  return picked === use;
}
