import * as vscode from "vscode";
import { kindToSet } from "../../core/account/remedies.ts";
import type { RemedyBy, ReportRemedy, SetRemedy } from "../../core/account/remedies.ts";
import { isLoopbackHost } from "../../core/kernel/httpAddress.ts";
import { commandIds, openConsoleCommand, switchSchemeCommand } from "../shell/commandIds.ts";
import { confirmRisk } from "../shell/window.ts";
import type { Profiles } from "./profiles/profiles.ts";

type Command = Pick<vscode.Command, "command" | "arguments">;

/** Remedies that need more than a command. */
type OwnStep = "switchScheme";

const commands: Readonly<
  Record<
    Exclude<RemedyBy<"anywhere" | "servers">, SetRemedy | OwnStep>,
    (profileName: string | undefined) => Command
  >
> = {
  addProfile: () => ({ command: commandIds.addProfile }),
  createKey: (profileName) => ({ command: openConsoleCommand, arguments: [profileName] }),
  openProfiles: () => ({
    command: "workbench.action.openSettingsJson",
    arguments: [{ revealSetting: { key: "inferenceGateway.profiles", edit: true } }],
  }),
  openSettings: () => ({
    command: "workbench.action.openSettings",
    arguments: ["@id:http.proxy,http.proxyStrictSSL,http.systemCertificates"],
  }),
  editBudget: () => ({
    command: "workbench.action.openSettings",
    arguments: ["@id:inferenceGateway.chat.budget,inferenceGateway.chat.prices"],
  }),
  startLocalGateway: () => ({ command: commandIds.startLocalGateway }),
  diagnose: (profileName) => ({ command: commandIds.diagnoseConnection, arguments: [profileName] }),
  refresh: () => ({ command: commandIds.refreshServers }),
  clearFilter: () => ({ command: commandIds.clearServerFilter }),
};

/** The command that carries out a remedy for this profile; undefined if it takes more than a command. */
export function remedyCommand(
  remedy: RemedyBy<"anywhere" | "servers">,
  profileName?: string,
  scheme?: "http" | "https",
): Command | undefined {
  const name = profileName === "" ? undefined : profileName;
  if (remedy === "switchScheme")
    return scheme === undefined ? undefined : { command: switchSchemeCommand, arguments: [name, scheme] };
  const kind = kindToSet(remedy);
  if (kind !== undefined) return { command: commandIds.setCredential, arguments: [kind, name] };
  return isCommand(remedy) ? commands[remedy](name) : undefined;
}

function isCommand(remedy: string): remedy is keyof typeof commands {
  return Object.hasOwn(commands, remedy);
}

/** The target of a remedy. */
interface RemedyTarget {
  readonly profiles: Profiles;
  /** Undefined means the active profile. */
  readonly profileName?: string | undefined;
  /** The address of the profile that caused the failure. */
  readonly address: "inferenceBaseUrl" | "gatewayUrl";
  /** The scheme that the server uses, if it differs from the address. */
  readonly scheme?: "http" | "https" | undefined;
}

/** Carries out a remedy that doesn't depend on where the problem is shown. */
export async function runRemedy(remedy: RemedyBy<"anywhere">, target: RemedyTarget): Promise<void> {
  if (remedy === "switchScheme") return switchScheme(target);
  const command = remedyCommand(remedy, target.profileName);
  if (command !== undefined)
    await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
}

/** Carries out a remedy offered in a report. False if the result is shown in a separate dialog. */
export async function runReportRemedy(request: ReportRemedy, profiles: Profiles): Promise<boolean> {
  switch (request.remedy) {
    case "changeProfile":
      await profiles.put({ name: request.profileName, ...request.change });
      return true;
    case "bypassProxy": {
      const http = vscode.workspace.getConfiguration("http");
      const known: unknown = http.get("noProxy");
      const entries: readonly unknown[] = Array.isArray(known) ? known : [];
      await http.update("noProxy", [...entries, request.host], vscode.ConfigurationTarget.Global);
      return true;
    }
    case "changeSetting":
      await vscode.workspace
        .getConfiguration()
        .update(request.name, request.value, vscode.ConfigurationTarget.Global);
      return true;
    case "switchScheme":
      await switchScheme({ profiles, ...request });
      return true;
    default: {
      const { remedy, profileName } = request;
      await runRemedy(remedy, { profiles, profileName, address: "gatewayUrl" });
      return false;
    }
  }
}

/**
 * Changes the scheme of one of a profile's addresses to the one that its server uses. Changing from https to http
 * requires the user's confirmation unless the server is on this machine.
 */
async function switchScheme({ profiles, profileName, address, scheme }: RemedyTarget): Promise<void> {
  const profile = profileName === undefined ? profiles.active : profiles.find(profileName);
  const url = URL.parse(profile?.[address] ?? "");
  if (profile === undefined || scheme === undefined || url === null || !/^https?:$/.test(url.protocol))
    return;
  if (scheme === "http" && !isLoopbackHost(url.hostname) && !(await confirmPlainHttp(url.host))) return;
  // The server responded on this port, even if the address doesn't contain it.
  const port = url.port === "" ? defaultPort(url.protocol) : url.port;
  const authority = port === defaultPort(`${scheme}:`) ? url.hostname : `${url.hostname}:${port}`;
  const changed = profile[address]?.replace(/^https?:\/\/[^/?#]*/i, `${scheme}://${authority}`);
  if (changed !== undefined) await profiles.put({ name: profile.name, [address]: changed });
}

function defaultPort(protocol: string): string {
  return protocol === "https:" ? "443" : "80";
}

/** Asks before anything is sent to this host unencrypted. */
export function confirmPlainHttp(host: string): Promise<boolean> {
  return confirmRisk({
    question: vscode.l10n.t("Use HTTP for {0}?", host),
    detail: vscode.l10n.t(
      "Plain HTTP isn't encrypted. Anyone on the network can read the credentials and the conversations.",
    ),
    accept: vscode.l10n.t("Use HTTP"),
    decline: vscode.l10n.t("Don't Use"),
  });
}
