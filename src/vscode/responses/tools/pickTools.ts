import * as vscode from "vscode";
import { contributedTools, toolChoices } from "../../../core/responses/tools/toolChoices.ts";
import type { ToolChoice } from "../../../core/responses/tools/toolChoices.ts";
import { inertItem, showInformationMessage } from "../../shell/window.ts";
import { noIcons } from "../../../core/kernel/noIcons.ts";

type ToolItem = vscode.QuickPickItem & { readonly tool?: string };

/** Asks for the tools of a conversation; undefined when the user turns away, or there are none. */
export async function pickTools(selected: readonly string[]): Promise<readonly string[] | undefined> {
  const manifests = vscode.extensions.all.map(({ packageJSON }): unknown => packageJSON);
  const choices = toolChoices(vscode.lm.tools, manifests.flatMap(contributedTools));
  if (choices.length === 0 && selected.length === 0) {
    void showInformationMessage(
      vscode.l10n.t("No tools are available. They are provided by extensions and MCP servers."),
    );
    return undefined;
  }
  return await showPick(createItems(choices, selected), selected);
}

async function showPick(
  items: readonly ToolItem[],
  selected: readonly string[],
): Promise<readonly string[] | undefined> {
  const pick = vscode.window.createQuickPick<ToolItem>();
  pick.title = vscode.l10n.t("Tools of This Conversation");
  pick.placeholder = vscode.l10n.t("The model can call these tools; you confirm each call");
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.items = items.map(inertItem);
  pick.selectedItems = pick.items.filter(({ tool }) => tool !== undefined && selected.includes(tool));
  try {
    return await new Promise((resolve) => {
      pick.onDidAccept(() => {
        resolve(pick.selectedItems.flatMap(({ tool }) => tool ?? []));
      });
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}

/** The chosen ones first, then all by their sources. */
function createItems(choices: readonly ToolChoice[], selected: readonly string[]): readonly ToolItem[] {
  const chosen = choices.filter(({ name }) => selected.includes(name));
  const sources = [...new Set(choices.map(({ source }) => source))];
  const separate = (label: string): ToolItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  // Those of an extension that isn't there now stay chosen until the user says otherwise: it may come back.
  const gone = selected.filter((name) => !choices.some((choice) => choice.name === name));
  const notThere = gone.map((name) => ({ label: noIcons(name), tool: name }));
  return [
    ...(chosen.length === 0 ? [] : [separate(vscode.l10n.t("Selected")), ...chosen.map(createItem)]),
    ...sources.flatMap((source) => {
      const others = choices.filter((choice) => choice.source === source && !chosen.includes(choice));
      const label = source === "" ? vscode.l10n.t("Built In") : noIcons(source);
      return others.length === 0 ? [] : [separate(label), ...others.map(createItem)];
    }),
    ...(gone.length === 0 ? [] : [separate(vscode.l10n.t("Unavailable")), ...notThere]),
  ];
}

function createItem({ name, title, description }: ToolChoice): ToolItem {
  return { label: noIcons(title), description: title === name ? "" : name, detail: description, tool: name };
}
