import * as vscode from "vscode";
import type { NetworkSettings } from "../../gateway/http/networkSettings.ts";

const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

/** Network settings from VS Code and the environment. */
export function readNetworkSettings(): NetworkSettings {
  const http = vscode.workspace.getConfiguration("http");
  const proxyUrl = readText(http.get("proxy"));
  const proxyAuthorization = readText(http.get("proxyAuthorization"));
  return {
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(proxyAuthorization === undefined ? {} : { proxyAuthorization }),
    noProxy: readTexts(http.get("noProxy")),
    proxySupport: readProxySupport(http.get("proxySupport")),
    strictSsl: http.get("proxyStrictSSL") !== false,
    useSystemCertificates: http.get("systemCertificates") !== false,
    environment: readEnvironment(),
  };
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

function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
