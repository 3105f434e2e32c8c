import * as vscode from "vscode";
import type { SecretVault } from "../../core/account/secretVault.ts";
import { Adaptations } from "../../core/conversation/adaptations.ts";
import { stringsIn } from "../../core/kernel/json.ts";
import type { Log } from "../../core/kernel/log.ts";
import type { Ledger } from "../../core/responses/usage/ledger.ts";
import type { NetworkSettings } from "../../gateway/http/transport.ts";
import { ClientFactory } from "./clientFactory.ts";
import type { ClientsContext } from "./clientFactory.ts";
import { settings } from "./settings.ts";
import { showInformationMessage } from "./window.ts";
import { filledFields } from "../../core/kernel/filledFields.ts";

const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

/** Network settings from VS Code and the environment. */
export function readNetworkSettings(): NetworkSettings {
  const http = vscode.workspace.getConfiguration("http");
  return filledFields({
    proxyUrl: readText(http.get("proxy")),
    proxyAuthorization: readText(http.get("proxyAuthorization")),
    noProxy: stringsIn(http.get("noProxy")),
    proxySupport: readProxySupport(http.get("proxySupport")),
    strictSsl: http.get("proxyStrictSSL") !== false,
    useSystemCertificates: http.get("systemCertificates") !== false,
    environment: readEnvironment(),
  });
}

function readEnvironment(): Readonly<Record<string, string | undefined>> {
  const names = [...proxyVariables, ...proxyVariables.map((name) => name.toLowerCase())];
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}

function readProxySupport(value: unknown): NetworkSettings["proxySupport"] {
  const choices = ["off", "on", "fallback", "override"] as const;
  return choices.find((choice) => choice === value) ?? "override";
}

function readText(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** What models have rejected, kept for all windows. */
export function storedAdaptations(globalState: vscode.Memento): Adaptations {
  const key = "inferenceGateway.adaptations";
  return new Adaptations(() => Date.now(), {
    load: () => globalState.get(key),
    save: (adaptations) => void globalState.update(key, adaptations),
  });
}

/** The clients as the settings and the state of this VS Code configure them. Loaded when the first one is needed. */
export function createConfiguredClients(
  { extension, globalState }: vscode.ExtensionContext,
  log: Log,
  vault: SecretVault,
  ledger: Ledger,
  calls: Pick<ClientsContext, "onListed" | "onRefused">,
): ClientFactory {
  const { version }: { readonly version?: unknown } = extension.packageJSON;
  return new ClientFactory({
    // Our own name, because some content delivery networks reject the names of libraries.
    userAgent: `inference-gateway-vscode/${String(version)}`,
    log,
    vault,
    network: readNetworkSettings,
    timeoutMs: settings.requestTimeoutMs,
    maxAttempts: settings.maxAttempts,
    adaptations: storedAdaptations(globalState),
    onClockCorrected: (sentence) => void showInformationMessage(sentence),
    keepUsage: (port, profile) => ledger.keep(port, profile),
    keepRequest: (request, send) => ledger.keepRequest(request, send),
    ...calls,
  });
}
