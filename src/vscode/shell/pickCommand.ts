import * as vscode from "vscode";
import { isRecord, recordsIn, stringField } from "../../core/kernel/json.ts";
import type { CommandMenu } from "./commandMenus.ts";
import { showQuickPick } from "./window.ts";
import { filledFields } from "../../core/kernel/filledFields.ts";

interface CommandPickOptions {
  readonly title: string;
  readonly placeHolder?: string;
  /** Whether the command is currently useful. If absent, all of them are. */
  offers?(command: string): boolean;
  /** The text shown after the command's title, such as the current value. */
  describe?(command: string): string | undefined;
}

interface CommandItem extends vscode.QuickPickItem {
  readonly command?: string;
}

/** Lets the user choose one of the commands, with the titles from package.json; undefined if the user cancels. */
export async function pickCommand(
  extension: vscode.Extension<unknown>,
  menu: CommandMenu,
  { title, placeHolder, offers = () => true, describe }: CommandPickOptions,
): Promise<string | undefined> {
  const declared = readDeclared(extension.packageJSON);
  const groups = menu.map((group) => group.filter(offers)).filter((group) => group.length > 0);
  const separator: CommandItem = { label: "", kind: vscode.QuickPickItemKind.Separator };
  const items = groups.flatMap((group, index) => [
    ...(index === 0 ? [] : [separator]),
    ...group.map((command): CommandItem => {
      const { label = command, icon = "blank" } = declared.get(command) ?? {};
      const description = describe?.(command) ?? "";
      return { label, description, iconPath: new vscode.ThemeIcon(icon), command };
    }),
  ]);
  const picked = await showQuickPick(items, {
    title,
    matchOnDescription: true,
    ...(placeHolder === undefined ? {} : { placeHolder }),
  });
  return picked?.command;
}

/** The title of a command in the palette, without its category. */
export function commandTitle(extensionId: string, command: string): string | undefined {
  return readDeclared(vscode.extensions.getExtension(extensionId)?.packageJSON).get(command)?.label;
}

interface DeclaredCommand {
  readonly label?: string;
  /** The name of a codicon. */
  readonly icon?: string;
}

/** The commands in package.json. VS Code returns translated titles along with their English originals. */
function readDeclared(manifest: unknown): ReadonlyMap<string, DeclaredCommand> {
  const contributes = isRecord(manifest) ? manifest["contributes"] : undefined;
  const commands = isRecord(contributes) ? contributes["commands"] : undefined;
  const declared = new Map<string, DeclaredCommand>();
  for (const command of recordsIn(commands)) {
    const { title } = command;
    const label = isRecord(title) ? stringField(title, "value") : stringField(command, "title");
    const icon = /^\$\(([a-z-]+)\)$/.exec(stringField(command, "icon") ?? "")?.[1];
    declared.set(stringField(command, "command") ?? "", filledFields({ label, icon }));
  }
  return declared;
}
