import * as vscode from "vscode";
import { readBaseUrl } from "../../../core/account/baseUrl.ts";
import { parseProfiles } from "../../../core/account/parseProfiles.ts";
import type { ProfileOptions } from "../../../core/account/profileSettings.ts";
import { classifyFailure } from "../../../core/account/secretCheck.ts";
import type { Credential } from "../../../core/kernel/credential.ts";
import type { ErrorFacts } from "../../../core/kernel/errors.ts";
import { logFailure } from "../../../core/kernel/errors.ts";
import { escapeCodicons, sanitizeLabel } from "../../../core/kernel/foreignText.ts";
import { isLoopbackHost } from "../../../core/kernel/httpAddress.ts";
import { endpointPorts, endpointProfile, endpointUrl } from "../../../core/servers/connect/modelEndpoint.ts";
import type { EndpointPort } from "../../../core/servers/connect/modelEndpoint.ts";
import { readPort } from "../../../core/servers/connect/recordPorts.ts";
import { urlHost } from "../../../core/servers/connect/webAddresses.ts";
import type { Server } from "../../../core/servers/server.ts";
import { askCredential } from "../../account/credentials/askCredential.ts";
import { askRisk, showInputBox, showQuickPick, withLateProgress } from "../../shell/window.ts";
import type { ServersContext } from "../serversHost.ts";

/** Where to look for models: a port of the server, or a base URL that the user has typed. */
type EndpointTarget = Pick<EndpointPort, "host" | "port" | "inner" | "scheme"> | { readonly url: string };

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
  return picked === other ? askOther(server, title) : picked?.found;
}

function portItem({ port, inner, program, source }: EndpointPort): vscode.QuickPickItem {
  const facts = [
    program,
    inner === port ? "" : vscode.l10n.t("port {0} on the server", String(inner)),
    escapeCodicons(sanitizeLabel(source ?? "", 80)),
  ];
  return { label: String(port), description: facts.filter((fact) => fact !== "").join(" · ") };
}

async function askOther({ address }: Server, title: string): Promise<EndpointTarget | undefined> {
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
  const host = urlHost(address?.value ?? "") ?? "";
  if (port !== undefined) return { host, port, inner: port, scheme: "http" };
  const { url } = readBaseUrl(text, "inference", true);
  return url === undefined ? undefined : { url };
}

/** The chosen route. `url` is the profile's base URL; for a tunnel, it is known only once the tunnel is open. */
type EndpointWay =
  { readonly kind: "tunnel"; readonly port: number } | { readonly kind: "direct"; readonly url: string };

interface WayItem extends vscode.QuickPickItem {
  readonly way: EndpointWay;
}

/** Asks which route to use and explains what each means for the data sent. Doesn't ask if there is only one. */
export async function askWay(
  endpoint: EndpointTarget,
  canTunnel: boolean,
  title: string,
): Promise<EndpointWay | undefined> {
  const direct = (url: string): EndpointWay => ({ kind: "direct", url });
  if ("url" in endpoint && !endpoint.url.startsWith("http:")) return direct(endpoint.url);
  const plain = "url" in endpoint ? endpoint.url : endpointUrl(endpoint.host, endpoint.port);
  if (isLoopbackHost(URL.parse(plain)?.hostname ?? "")) return direct(plain);
  const secure = plain.replace("http:", "https:");
  const https: WayItem = { label: "$(lock) https", description: secure, way: direct(secure) };
  const tunnel = "url" in endpoint || !canTunnel ? [] : [tunnelItem(endpoint.inner)];
  // The route that matches a record with https comes first.
  const isEncrypted = !("url" in endpoint) && endpoint.scheme === "https";
  const items: readonly WayItem[] = [
    ...(isEncrypted ? [https, ...tunnel] : [...tunnel, https]),
    {
      label: vscode.l10n.t("$(unlock) Plain HTTP"),
      description: plain,
      detail: vscode.l10n.t("Not encrypted: traffic can be intercepted. Sets “allowInsecureHttp”."),
      way: direct(plain),
    },
  ];
  const placeHolder = vscode.l10n.t("Select how to connect");
  return (await showQuickPick(items, { title, placeHolder, ignoreFocusOut: true }))?.way;
}

function tunnelItem(port: number): WayItem {
  return {
    label: vscode.l10n.t("$(lock) SSH tunnel"),
    description: vscode.l10n.t("port {0} on the server", String(port)),
    detail: vscode.l10n.t("Encrypted while this window is open; also reaches services bound to localhost"),
    way: { kind: "tunnel", port },
  };
}

/** The result of checking an endpoint that the user wants as a profile. */
interface CheckedEndpoint {
  readonly credential: Credential | undefined;
}

type Answer = { readonly modelCount: number } | { readonly error: ErrorFacts } | undefined;

/**
 * Requests the endpoint's models, first without a key, then with one if required. Nothing is stored. `otherPlace` if
 * the user wants to use a different address. Undefined if the user cancels.
 */
export async function checkEndpoint(
  context: ServersContext,
  name: string,
  url: string,
): Promise<CheckedEndpoint | "otherPlace" | undefined> {
  let credential: Credential | undefined;
  for (;;) {
    const answer = await askModels(context, name, url, credential);
    if (answer === undefined) return undefined;
    if ("modelCount" in answer && answer.modelCount > 0) return { credential };
    if ("error" in answer && wantsKey(answer.error)) {
      credential = await askKey(name, url, credential !== undefined);
      if (credential === undefined) return undefined;
      continue;
    }
    const decision = await decide(url, "error" in answer ? answer.error : undefined);
    if (decision === "saveAnyway") return { credential };
    if (decision !== "tryAgain") return decision;
  }
}

/** The request was refused, or sent without a required key. */
function wantsKey({ reason }: ErrorFacts): boolean {
  return reason === "apiKey" || reason === "missingCredential";
}

async function askModels(
  { clients, log }: ServersContext,
  name: string,
  url: string,
  credential: Credential | undefined,
): Promise<Answer> {
  // A separate name, because no stored key is meant for this address.
  const [profile] = parseProfiles([endpointProfile(`${name} (check)`, url)]).profiles;
  if (profile === undefined) return undefined;
  const title = vscode.l10n.t("Loading models from {0}…", url);
  return withLateProgress(title, async ({ signal }) => {
    try {
      const client = await clients.inference(profile, credential);
      const models = await client.listModels(signal);
      log.info(`${url} lists ${models.length} models`);
      return { modelCount: models.length };
    } catch (error) {
      if (signal.aborted) return undefined;
      logFailure(log, error);
      const verdict = classifyFailure(error);
      // An account without funds: the key is correct, and the list can be loaded later.
      return "error" in verdict ? { error: verdict.error } : { modelCount: 0 };
    }
  });
}

async function askKey(name: string, url: string, wasWrong: boolean): Promise<Credential | undefined> {
  const title = wasWrong
    ? vscode.l10n.t("Invalid API key. Enter the API key for “{0}”", name)
    : vscode.l10n.t("The endpoint requires an API key. Enter the API key for “{0}”", name);
  return askCredential("apiKey", { name }, URL.parse(url)?.origin ?? url, { title });
}

/** Modal, because the user is waiting for it. */
async function decide(
  url: string,
  error: ErrorFacts | undefined,
): Promise<"tryAgain" | "saveAnyway" | "otherPlace" | undefined> {
  const message =
    error === undefined
      ? vscode.l10n.t("{0} responds, but offers no models.", url)
      : vscode.l10n.t("No models were found at {0}.", url);
  const hint = vscode.l10n.t(
    "Model servers often listen on localhost only; use an SSH tunnel to reach them. Nothing has been saved.",
  );
  const detail = error === undefined ? hint : `${error.message}\n\n${hint}`;
  return askRisk(message, detail, {
    [vscode.l10n.t("Try Again")]: "tryAgain",
    [vscode.l10n.t("Choose Another Port")]: "otherPlace",
    [vscode.l10n.t("Save Anyway")]: "saveAnyway",
  });
}

/** Saves an endpoint as a profile, and its key where keys are stored. */
export async function putEndpoint(
  { profiles, vault }: ServersContext,
  options: ProfileOptions,
  credential: Credential | undefined,
): Promise<void> {
  await profiles.put(options);
  const profile = profiles.find(options.name);
  if (profile !== undefined && credential !== undefined) await vault.store(profile, credential);
}
