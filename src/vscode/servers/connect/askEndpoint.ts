import * as vscode from "vscode";
import { readBaseUrl } from "../../../core/account/baseUrl.ts";
import { sanitizeLabel, escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { endpointPorts, endpointUrl } from "../../../core/servers/connect/modelEndpoint.ts";
import type { EndpointPort } from "../../../core/servers/connect/modelEndpoint.ts";
import { readPort } from "../../../core/servers/connect/recordPorts.ts";
import { urlHost } from "../../../core/servers/connect/webAddresses.ts";
import { isLoopbackHost } from "../../../core/kernel/loopback.ts";
import type { Server } from "../../../core/servers/server.ts";
import { showInputBox, showQuickPick } from "../../shell/window.ts";

/** Where to look for models: a port of the server, or a base URL that the user has typed. */
export type EndpointTarget = Pick<EndpointPort, "port" | "inner" | "scheme"> | { readonly url: string };

interface PortItem extends vscode.QuickPickItem {
  readonly found?: EndpointPort;
}

/** Asks for the port, offering those in the record and the usual ones. Undefined if the user cancels. */
export async function askTarget(server: Server, title: string): Promise<EndpointTarget | undefined> {
  const ports = endpointPorts(server).map((found) => ({ ...portItem(found), found }));
  const named = ports.filter(({ found }) => found.source !== undefined);
  const separator = (label: string): PortItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const other: PortItem = {
    label: vscode.l10n.t("$(edit) Enter another port or address…"),
    alwaysShow: true,
  };
  const items: readonly PortItem[] = [
    ...(named.length === 0 ? [] : [separator(vscode.l10n.t("From the server's record")), ...named]),
    separator(vscode.l10n.t("Common ports")),
    ...ports.filter(({ found }) => found.source === undefined),
    separator(""),
    other,
  ];
  const picked = await showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t("Port of the model server"),
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  return picked === other ? askOther(title) : picked?.found;
}

function portItem({ port, inner, program, source }: EndpointPort): vscode.QuickPickItem {
  const facts = [
    program,
    inner === port ? "" : vscode.l10n.t("port {0} on the server", inner),
    escapeCodicons(sanitizeLabel(source ?? "", 80)),
  ];
  return { label: String(port), description: facts.filter((fact) => fact !== "").join(" · ") };
}

async function askOther(title: string): Promise<EndpointTarget | undefined> {
  const text = await showInputBox({
    title,
    prompt: vscode.l10n.t("Port, or base URL including /v1"),
    placeHolder: "8000",
    ignoreFocusOut: true,
    validateInput(value) {
      if (readPort(value) !== undefined) return undefined;
      if (/^\s*(?:\d+\s*)?$/.test(value)) return vscode.l10n.t("Enter a port number from 1 to 65535.");
      const { url, problem } = readBaseUrl(value, "inference", true);
      return url === undefined ? problem : undefined;
    },
  });
  if (text === undefined) return undefined;
  const port = readPort(text);
  if (port !== undefined) return { port, inner: port, scheme: "http" };
  const { url } = readBaseUrl(text, "inference", true);
  return url === undefined ? undefined : { url };
}

/** The chosen route. `url` is the profile's base URL; for a tunnel, it is known only once the tunnel is open. */
export type EndpointWay =
  { readonly kind: "tunnel"; readonly port: number } | { readonly kind: "direct"; readonly url: string };

interface WayItem extends vscode.QuickPickItem {
  readonly way: EndpointWay;
}

/** Asks which route to use and explains what each means for the data sent. Doesn't ask if there is only one. */
export async function askWay(
  { address }: Server,
  endpoint: EndpointTarget,
  canTunnel: boolean,
  title: string,
): Promise<EndpointWay | undefined> {
  if ("url" in endpoint && !endpoint.url.startsWith("http:")) return { kind: "direct", url: endpoint.url };
  const host = urlHost(address?.value ?? "") ?? "";
  const plain = "url" in endpoint ? endpoint.url : endpointUrl("http", host, endpoint.port);
  if (isLoopbackHost(URL.parse(plain)?.hostname ?? "")) return { kind: "direct", url: plain };
  const items: readonly WayItem[] = [
    ...("url" in endpoint || !canTunnel ? [] : [tunnelItem(endpoint.inner)]),
    httpsItem(
      "url" in endpoint ? plain.replace("http:", "https:") : endpointUrl("https", host, endpoint.port),
    ),
    httpItem(plain),
  ];
  const isEncrypted = !("url" in endpoint) && endpoint.scheme === "https";
  const picked = await showQuickPick(
    items.toSorted((a, b) => Number(isEncrypted) * (rank(a.way) - rank(b.way))),
    { title, placeHolder: vscode.l10n.t("How to connect"), ignoreFocusOut: true },
  );
  return picked?.way;
}

/** The route that matches a record with https comes first. */
function rank(way: EndpointWay): number {
  return way.kind === "direct" && way.url.startsWith("https:") ? 0 : 1;
}

function tunnelItem(port: number): WayItem {
  return {
    label: vscode.l10n.t("$(lock) SSH tunnel"),
    description: vscode.l10n.t("port {0} on the server", port),
    detail: vscode.l10n.t("Encrypted while ssh runs in a terminal; also reaches services bound to localhost"),
    way: { kind: "tunnel", port },
  };
}

function httpsItem(url: string): WayItem {
  return { label: "$(lock) https", description: url, way: { kind: "direct", url } };
}

function httpItem(url: string): WayItem {
  return {
    label: vscode.l10n.t("$(unlock) Plain HTTP"),
    description: url,
    detail: vscode.l10n.t("Not encrypted: traffic can be intercepted. Sets “allowInsecureHttp”"),
    way: { kind: "direct", url },
  };
}
