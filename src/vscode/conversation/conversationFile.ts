import * as vscode from "vscode";
import type { ConversationArchive } from "../../core/conversation/conversationStore.ts";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { Log } from "../../core/kernel/log.ts";
import { messageOf } from "../../core/kernel/thrown.ts";
import type { SharedFolder } from "../../storage/conversations/sharedFolder.ts";
import type { StoreOptions } from "../../storage/conversations/storeOptions.ts";
import type { FolderWriter } from "../../storage/database/folderLease.ts";
import { hasPrivateFile } from "../../storage/files/privateFile.ts";
import { remoteHostName, settingFolder } from "../shell/ownMachine.ts";
import { readSetting } from "../shell/settings.ts";
import { confirmRisk, showInformationMessage, showWarningMessage } from "../shell/window.ts";
import { chosenFolder, conversationFile } from "./storageLocation.ts";

interface StoreLocation {
  readonly storageUri: vscode.Uri;
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
}

/** Shows the file with the conversations in the file manager, or its path if it is on another machine. */
export async function revealStorage(storageUri: vscode.Uri): Promise<void> {
  const file = conversationFile(storageUri);
  const host = remoteHostName();
  if (host === undefined) {
    const target = hasPrivateFile(file)
      ? vscode.Uri.file(file)
      : vscode.Uri.joinPath(vscode.Uri.file(file), "..");
    await vscode.commands.executeCommand("revealFileInOS", target);
    return;
  }
  const copy = vscode.l10n.t("Copy Path");
  const message = vscode.l10n.t(
    "This window isn't connected to VS Code on your own machine, so conversations are stored on {0}: {1}. Export the ones that you want to keep before that machine is released.",
    sanitizeLabel(host, 100),
    file,
  );
  if ((await showWarningMessage(message, copy)) === copy) await vscode.env.clipboard.writeText(file);
}

/**
 * Offers to reload the window when the user chooses a different folder, because the open conversations are in the old
 * one.
 */
export function watchStorageFolder(): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration(async (change) => {
    if (!change.affectsConfiguration("inferenceGateway.chat.storageFolder")) return;
    if (!vscode.window.state.focused) return;
    const reload = vscode.l10n.t("Reload Window");
    const message = vscode.l10n.t(
      "The new conversations folder is used after you reload the windows. You can then copy the earlier conversations to it.",
    );
    if ((await showInformationMessage(message, reload)) === reload)
      await vscode.commands.executeCommand("workbench.action.reloadWindow");
  });
}

/**
 * Opens the conversations on disk. If that fails, chats continue in memory, and opening is retried.
 * @param onTrouble Called with the reason while nothing can be stored, and with undefined once it can.
 */
export async function openStore(
  location: StoreLocation,
  onTrouble: (sentence: string | undefined) => void,
): Promise<ConversationArchive> {
  const { storageUri, extensionUri, log } = location;
  const onProblem = (sentence: string): void => {
    log.error(sentence);
    void showProblem(sentence, storageUri);
  };
  const notices = new TroubleNotices(onProblem, onTrouble, log);
  const options: StoreOptions = {
    now: () => Date.now(),
    onProblem,
    onTrouble,
    recoveryThread: vscode.Uri.joinPath(extensionUri, "dist", "recoveryThread.js").fsPath,
    vacuumThread: vscode.Uri.joinPath(extensionUri, "dist", "vacuumThread.js").fsPath,
  };
  const { RetryingConversationStore } =
    await import("../../storage/conversations/retryingConversationStore.ts");
  const shared = await createShared(storageUri, options, {
    onSwitch: (next) => store.replace(next),
    onWriter: (sentence) => notices.setWriter(sentence),
  });
  const store = new RetryingConversationStore({
    async open() {
      if (settingFolder(readSetting("chat.storageFolder")) === "relative") throw relativeFolder();
      if (shared !== undefined) return await shared.open();
      const { openConversationStore } = await import("../../storage/conversations/openConversationStore.ts");
      return await openConversationStore(conversationFile(storageUri), options);
    },
    onTrouble: (sentence) => notices.setTrouble(sentence),
    onClosed: () => shared?.close(),
  });
  await store.start();
  return store;
}

interface SharedEvents {
  onSwitch(next: ConversationArchive): void;
  /** Called with a sentence while another machine writes to the folder. */
  onWriter(sentence: string | undefined): void;
}

/** The user's own folder, if there is one. */
async function createShared(
  storageUri: vscode.Uri,
  options: StoreOptions,
  { onSwitch, onWriter }: SharedEvents,
): Promise<SharedFolder | undefined> {
  const folder = chosenFolder();
  const copyFolder = vscode.Uri.joinPath(storageUri, "copy").fsPath;
  if (folder === undefined && !hasPrivateFile(`${copyFolder}/copy.db`)) return undefined;
  const {
    SharedFolder: Folder,
    otherWriterMessage,
    removeMergedCopy,
  } = await import("../../storage/conversations/sharedFolder.ts");
  if (folder === undefined) {
    removeMergedCopy(copyFolder);
    return undefined;
  }
  let last: string | undefined;
  const shared = new Folder({
    ...{ folder, options, onSwitch },
    copyFolder,
    onWriter(writer: FolderWriter | undefined) {
      const time = (ms: number): string => new Date(ms).toLocaleString(vscode.env.language);
      onWriter(writer === undefined ? undefined : otherWriterMessage(writer, folder, time));
      if (writer !== undefined && last !== writer.host) void offerToTakeOver(shared, writer);
      last = writer?.host;
    },
  });
  return shared;
}

async function offerToTakeOver(shared: SharedFolder, { host }: FolderWriter): Promise<void> {
  const name = sanitizeLabel(host, 60);
  const takeOver = vscode.l10n.t("Write Here…");
  const message = vscode.l10n.t(
    "“{0}” is writing to your conversations folder. Until VS Code is closed there, conversations on this machine are kept in a copy, which is merged into the folder afterward.",
    name,
  );
  if ((await showWarningMessage(message, takeOver)) !== takeOver) return;
  const accept = vscode.l10n.t("Write Here");
  const isSure = await confirmRisk({
    question: vscode.l10n.t("Write to the folder on this machine from now on?"),
    detail: vscode.l10n.t(
      "Only do this if VS Code isn't in use on “{0}”. If both machines write before the next sync, the conversations may be split across two files.",
      name,
    ),
    accept,
    decline: vscode.l10n.t("Don't Write"),
    isExpected: true,
  });
  if (!isSure) return;
  try {
    await shared.takeOver();
  } catch (error) {
    void showWarningMessage(messageOf(error));
  }
}

/** Notifies the user once about each period in which the conversations can't be stored where they belong. */
class TroubleNotices {
  readonly #onProblem: (sentence: string) => void;
  readonly #onTrouble: (sentence: string | undefined) => void;
  readonly #log: Log;
  #isNotified = false;
  #trouble: string | undefined;
  #writer: string | undefined;

  constructor(
    onProblem: (sentence: string) => void,
    onTrouble: (sentence: string | undefined) => void,
    log: Log,
  ) {
    this.#onProblem = onProblem;
    this.#onTrouble = onTrouble;
    this.#log = log;
  }

  setTrouble(sentence: string | undefined): void {
    this.#trouble = sentence;
    if (sentence !== undefined && !this.#isNotified) this.#onProblem(sentence);
    if (sentence === undefined && this.#isNotified)
      this.#log.info(vscode.l10n.t("Conversations are being saved again."));
    this.#isNotified = sentence !== undefined;
    this.#emit();
  }

  setWriter(sentence: string | undefined): void {
    if (sentence === this.#writer) return;
    this.#writer = sentence;
    this.#emit();
  }

  #emit(): void {
    this.#onTrouble(this.#trouble ?? this.#writer);
  }
}

function relativeFolder(): ServiceError {
  const message = vscode.l10n.t(
    "The setting “{0}” must be an absolute path or start with ~.",
    "inferenceGateway.chat.storageFolder",
  );
  return new ServiceError({ reason: "configuration", message });
}

async function showProblem(sentence: string, storageUri: vscode.Uri): Promise<void> {
  const show = vscode.l10n.t("Show Folder");
  if ((await showWarningMessage(sentence, show)) === show) await revealStorage(storageUri);
}
