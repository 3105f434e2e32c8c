import * as vscode from "vscode";
import { commandIds, commandNames } from "./commandIds.ts";
import type { CommandName, CommandPart } from "./commandIds.ts";

/**
 * Runs a command. VS Code passes what a menu was opened on, such as a row of a view or the context of a page's element,
 * and for files all that are selected. A method, so that an implementation can name the type of what its view passes.
 */
type RunCommand = { run(clicked?: unknown, selected?: unknown): unknown }["run"];

/** Registers the commands of one part of the extension. */
export function registerCommands<P extends CommandPart>(
  part: P,
  commands: { readonly [N in CommandName<P>]: RunCommand },
): vscode.Disposable {
  return registerEach(part, (name) => commands[name]);
}

/** Registers the commands of one part, whose implementations have something in common. */
export function registerEach<P extends CommandPart>(
  part: P,
  implementation: (name: CommandName<P>) => RunCommand,
): vscode.Disposable {
  return vscode.Disposable.from(
    ...commandNames(part).map((name) =>
      vscode.commands.registerCommand(commandIds[name], implementation(name)),
    ),
  );
}

/** Registers the pickers that offer commands unchanged. Their implementation is loaded with the first one. */
export function registerCommandMenus(extension: vscode.Extension<unknown>): vscode.Disposable {
  const titles: { readonly [N in CommandName<"pickers">]: () => string } = {
    askAboutCode: () => vscode.l10n.t("Edit or Ask About Code"),
    chatActions: () => vscode.l10n.t("Chat Actions"),
  };
  return registerEach("pickers", (menu) => async () => {
    const [{ commandMenus }, { pickCommand }] = await Promise.all([
      import("./commandMenus.ts"),
      import("./pickCommand.ts"),
    ]);
    const command = await pickCommand(extension, commandMenus[menu], { title: titles[menu]() });
    if (command !== undefined) await vscode.commands.executeCommand(command);
  });
}
