import * as vscode from "vscode";
import { isRecord, parseJson } from "../../../core/kernel/json.ts";
import { escapeCodicons, escapeInvisible } from "../../../core/kernel/foreignText.ts";
import { readCloudActions } from "../../../core/servers/actions/serverAction.ts";
import type { CloudActions, ServerAction } from "../../../core/servers/actions/serverAction.ts";
import { parametersText } from "../../../core/servers/actions/signedRequest.ts";
import type { TreeRow } from "../../../core/servers/tree/rows.ts";
import { exportFolder } from "../../shell/ownMachine.ts";
import { readText } from "../../shell/readText.ts";
import { showConfirmation, showQuickPick, showWarningMessage } from "../../shell/window.ts";
import type { ServersView } from "../serversView.ts";
import { actionsOfSetting, actionsSetting } from "./actionStore.ts";

/** Where the format of a file with actions is shown. */
const exampleFile = ["media", "server-actions.example.json"];

/** Imports the actions of a profile's cloud from a file, or reviews those in the settings. */
export async function setUpActions(serversView: ServersView, row?: TreeRow): Promise<void> {
  const profileName = await chooseProfile(serversView, row);
  if (profileName === undefined) return;
  const { actionStore, context } = serversView;
  const cloud = actionStore.cloudOf(profileName);
  const open = itemsOf(cloud).filter((item) => !actionStore.isReviewed(profileName, item));
  const fromFile = {
    label: vscode.l10n.t("Import from File…"),
    detail: vscode.l10n.t("You review each action before it can be used."),
  };
  const review = { label: vscode.l10n.t("Review Actions in Settings…"), description: String(open.length) };
  const edit = { label: vscode.l10n.t("Edit in settings.json") };
  const example = { label: vscode.l10n.t("Show Example File") };
  const picked = await showQuickPick([fromFile, ...(open.length > 0 ? [review] : []), edit, example], {
    title: vscode.l10n.t("Set Up Start and Stop · {0}", profileName),
    placeHolder: vscode.l10n.t("The actions are those of the cloud behind this profile"),
  });
  if (picked === fromFile) await importActions(serversView, profileName);
  else if (picked === review) await reviewActions(serversView, profileName, cloud);
  else if (picked === edit)
    await vscode.commands.executeCommand("workbench.action.openSettingsJson", {
      revealSetting: { key: `inferenceGateway.${actionsSetting}`, edit: true },
    });
  else if (picked === example) {
    const uri = vscode.Uri.joinPath(context.extensionUri, ...exampleFile);
    const content = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    await vscode.window.showTextDocument(
      actionStore.documents.create("server-actions.json", "example", content),
    );
  }
}

async function chooseProfile(serversView: ServersView, row?: TreeRow): Promise<string | undefined> {
  if (row?.kind === "server") return row.profileName;
  const names = serversView.lists.sections
    .map(({ profileName }) => profileName)
    .filter((name) => name !== "");
  if (names.length < 2) return names[0];
  const items = names.map((name) => ({ label: escapeCodicons(name), name }));
  return (await showQuickPick(items, { placeHolder: vscode.l10n.t("Select a profile") }))?.name;
}

async function importActions(serversView: ServersView, profileName: string): Promise<void> {
  const [uri] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t("Import Actions"),
      defaultUri: exportFolder(),
      filters: { JSON: ["json"] },
    })) ?? [];
  if (uri === undefined) return;
  const file = await readText(uri);
  if (typeof file === "string") return void showWarningMessage(file);
  const value = parseJson(file.text);
  const cloud = readCloudActions(Array.isArray(value) ? { actions: value } : value);
  if (cloud.problems[0] !== undefined) void showWarningMessage(cloud.problems.slice(0, 3).join(" "));
  if (itemsOf(cloud).length === 0) {
    if (cloud.problems.length === 0)
      void showWarningMessage(vscode.l10n.t("This file has no actions: it needs a list “actions”."));
    return;
  }
  await reviewActions(serversView, profileName, cloud, isRecord(value) ? value : { actions: value });
}

/** The actions, and the link to the console. */
function itemsOf({ actions, console: link }: CloudActions): readonly (ServerAction | string)[] {
  return [...actions, ...(link === undefined ? [] : [link])];
}

/**
 * Shows every request in full in a document, and lets the user select those that count. `imported` is the content of a
 * file, whose selected actions replace those of the same name in the settings.
 */
async function reviewActions(
  serversView: ServersView,
  profileName: string,
  cloud: CloudActions,
  imported?: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { actionStore, context } = serversView;
  const gatewayUrl = context.profiles.find(profileName)?.gatewayUrl ?? "";
  const all = itemsOf(cloud);
  const text = escapeInvisible(JSON.stringify({ gatewayUrl, ...cloud, problems: undefined }, undefined, 2));
  const uri = actionStore.documents.create("actions.json", String(Date.now()), text);
  await vscode.window.showTextDocument(uri, { preview: true });
  const items = all.map((item) => ({
    ...describeItem(item, gatewayUrl),
    picked: actionStore.isReviewed(profileName, item),
    item,
  }));
  const picked = await showQuickPick(items, {
    title: vscode.l10n.t("Review Actions · {0}", profileName),
    placeHolder: vscode.l10n.t("Select the actions that may be sent. The editor shows them in full."),
    canPickMany: true,
    ignoreFocusOut: true,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked === undefined || picked.length === 0) return;
  const chosen = picked.map(({ item }) => item);
  if (imported !== undefined) await store(profileName, chosen, cloud, imported);
  actionStore.settingChanged();
  await actionStore.accept(profileName, chosen);
  serversView.repaint();
  showConfirmation(vscode.l10n.t("Actions for “{0}”: {1}", profileName, String(chosen.length)));
}

function describeItem(item: ServerAction | string, gatewayUrl: string): vscode.QuickPickItem {
  if (typeof item === "string")
    return { label: vscode.l10n.t("Open in Console"), description: escapeCodicons(item) };
  const { name, method, path, query, body, billing, data, capacity, confirmation } = item;
  const parameters = query.length === 0 ? "" : `?${parametersText(query)}`;
  const texts = [billing, data, capacity, confirmation].filter((each) => each !== undefined);
  return {
    label: escapeCodicons(name),
    description: escapeCodicons(`${method} ${gatewayUrl}${path}${parameters}`),
    detail: escapeCodicons(
      [body === undefined ? "" : JSON.stringify(body), ...texts].filter(Boolean).join(" · "),
    ),
  };
}

/** Writes the chosen entries of the file as they are there, because they are reviewed as what they are read as. */
async function store(
  profileName: string,
  chosen: readonly (ServerAction | string)[],
  cloud: CloudActions,
  imported: Readonly<Record<string, unknown>>,
): Promise<void> {
  const setting = actionsOfSetting();
  const before = isRecord(setting[profileName]) ? setting[profileName] : {};
  const entries: readonly unknown[] = Array.isArray(imported["actions"]) ? imported["actions"] : [];
  const added = entries.filter((entry) => {
    const [action] = readCloudActions({ actions: [entry] }).actions;
    return action !== undefined && chosen.some((item) => JSON.stringify(item) === JSON.stringify(action));
  });
  const names = new Set(chosen.map((item) => (typeof item === "string" ? "" : item.name)));
  const kept: readonly unknown[] = Array.isArray(before["actions"]) ? before["actions"] : [];
  const isReplaced = (entry: unknown): boolean =>
    isRecord(entry) && typeof entry["name"] === "string" && names.has(entry["name"].trim());
  const link = chosen.includes(cloud.console ?? "") ? { console: cloud.console } : {};
  const actions = [...kept.filter((entry) => !isReplaced(entry)), ...added];
  const changed = { ...setting, [profileName]: { ...before, ...link, actions } };
  const configuration = vscode.workspace.getConfiguration("inferenceGateway");
  await configuration.update(actionsSetting, changed, vscode.ConfigurationTarget.Global);
}
