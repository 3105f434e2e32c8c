import * as vscode from "vscode";
import { findSecrets } from "../../../core/account/secrets/scanSecrets.ts";
import { escapeCodicons, inertText, isVisible } from "../../../core/kernel/foreignText.ts";
import { stringsIn } from "../../../core/kernel/json.ts";
import { shellWord } from "../../../core/kernel/shellWord.ts";
import { inertItem } from "../../shell/window.ts";

const historyKey = "inferenceGateway.servers.jobHistory";
const mostCommands = 30;
const longestCommand = 2_000;

interface CommandItem extends vscode.QuickPickItem {
  readonly command?: string;
  readonly isSwitch?: boolean;
}

interface CommandQuestion {
  readonly title: string;
  /** Commands that are offered before those of the history. */
  readonly known: readonly string[];
  readonly history: vscode.Memento;
  /** What can be done before the command runs, in words, and whether it is. */
  readonly before?:
    (Record<"label" | "description" | "detail", string> & { readonly isOn: boolean }) | undefined;
}

/** What the user wants to run. */
interface ChosenCommand {
  readonly command: string;
  /** Whether what can be done before is wanted. */
  readonly hasBefore: boolean;
}

/**
 * Lets the user type a command, or select an earlier one or what is known. What is typed is the first item. An earlier
 * command can be taken over into the input, to change it.
 */
export async function askCommand(question: CommandQuestion): Promise<ChosenCommand | undefined> {
  const { title, known, history, before } = question;
  const input = vscode.window.createQuickPick<CommandItem>();
  const edit = { iconPath: new vscode.ThemeIcon("edit"), tooltip: vscode.l10n.t("Edit Command") };
  const earlier = stringsIn(history.get(historyKey));
  const commands = [...new Set([...known, ...earlier])].filter((each) => commandProblem(each) === undefined);
  let hasBefore = before?.isOn === true;
  const update = (): void => {
    const typed = input.value.trim();
    const problem = typed === "" ? undefined : commandProblem(typed);
    const first: readonly CommandItem[] =
      typed === "" || commands.includes(typed)
        ? []
        : [
            problem === undefined
              ? { label: `$(play) ${escapeCodicons(typed)}`, alwaysShow: true, command: typed }
              : { label: `$(warning) ${problem}`, alwaysShow: true },
          ];
    const others = commands.map((command) => ({ label: escapeCodicons(command), buttons: [edit], command }));
    // After what Enter runs, and before a long history.
    const [next, ...rest] = [...first, ...others];
    const switches: readonly CommandItem[] =
      before === undefined
        ? []
        : [
            {
              label: `${hasBefore ? "$(check)" : "$(circle-slash)"} ${before.label}`,
              description: `${hasBefore ? vscode.l10n.t("On") : vscode.l10n.t("Off")} · ${before.description}`,
              ...{ detail: before.detail, alwaysShow: true, isSwitch: true },
            },
          ];
    input.items = [...(next === undefined ? [] : [next]), ...switches, ...rest].map(inertItem);
    // Enter without a command must not turn the switch.
    if (next === undefined) input.activeItems = [];
  };
  input.title = inertText(title, 500);
  input.placeholder = vscode.l10n.t("Command to run, such as {0}", "python3 train.py");
  input.ignoreFocusOut = true;
  let picked: string | undefined;
  input.onDidChangeValue(update);
  input.onDidTriggerItemButton(({ item }) => {
    input.value = item.command ?? "";
    update();
  });
  input.onDidAccept(() => {
    const [item] = input.selectedItems;
    if (item?.isSwitch === true) {
      hasBefore = !hasBefore;
      update();
      return;
    }
    picked = item?.command;
    if (picked !== undefined) input.hide();
  });
  await new Promise<void>((resolve) => {
    input.onDidHide(resolve);
    update();
    input.show();
  });
  input.dispose();
  if (picked === undefined) return undefined;
  const command = picked;
  // A history is stored as it is.
  if (findSecrets(command).length === 0)
    await history.update(
      historyKey,
      [command, ...earlier.filter((each) => each !== command)].slice(0, mostCommands),
    );
  return { command, hasBefore };
}

function commandProblem(text: string): string | undefined {
  if (text.length > longestCommand) return vscode.l10n.t("The command is too long.");
  return isVisible(text) && !/\p{Cc}/u.test(text)
    ? undefined
    : vscode.l10n.t("The command contains invisible characters.");
}

/** The selected text and the script of the active editor. */
export function suggestedCommands(): readonly string[] {
  const { activeTextEditor: editor } = vscode.window;
  if (editor === undefined) return [];
  const { document, selection } = editor;
  const selected = document.getText(selection).trim();
  // Outside an environment, many servers have no `python`.
  const program = { python: "python3", shellscript: "bash", javascript: "node" }[document.languageId];
  const path = vscode.workspace.asRelativePath(document.uri, false).replaceAll("\\", "/");
  const isScript = program !== undefined && !document.isUntitled && !/^(?:\/|\w:)/.test(path);
  return [...(selected === "" ? [] : [selected]), ...(isScript ? [`${program} ${shellWord(path)}`] : [])];
}
