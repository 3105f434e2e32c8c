import * as vscode from "vscode";
import type { ConversationArchive } from "../../core/conversation/conversationStore.ts";
import { missingMessages } from "../../core/library/import/importTally.ts";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { hasPrivateFile } from "../../storage/files/privateFile.ts";
import { readImportsInThread } from "../../storage/import/importSources.ts";
import { conversationFile } from "../conversation/storageLocation.ts";
import { remoteHostName } from "../shell/ownMachine.ts";
import { showConfirmation, showInformationMessage, showWarningMessage } from "../shell/window.ts";
import { importDatabase } from "./importConversations.ts";
import type { ImportLocations } from "./importConversations.ts";

interface EarlierStoresContext extends ImportLocations {
  readonly globalState: vscode.Memento;
  readonly store: ConversationArchive;
}

/** The database that this machine used last. */
const placeKey = "inferenceGateway.conversationFile";
/** The databases on remote machines that were offered, as URIs. */
const offeredKey = "inferenceGateway.offeredDatabases";

/** The folder of this extension below those in which VS Code's servers keep their data, by product. */
const dataFolders = ["data/User", "User"].map(
  (folder) => `${folder}/globalStorage/inference-gateway.inference-gateway/conversations.db`,
);

/** Maximum number of servers in a home folder that are looked through. */
const maxServers = 10;

/** Offers conversations of this user that are stored elsewhere: in the previous folder, or on the remote machine. */
export async function offerEarlierStores(context: EarlierStoresContext): Promise<void> {
  const { removeAbandonedCopies } = await import("../../storage/import/storedConversations.ts");
  await removeAbandonedCopies(context.storageUri.fsPath, Date.now());
  await offerPreviousFolder(context);
  for (const uri of await findRemoteDatabases()) await offerRemote(context, uri);
}

async function offerPreviousFolder(context: EarlierStoresContext): Promise<void> {
  const { globalState, storageUri, store } = context;
  const current = conversationFile(storageUri);
  const known: unknown = globalState.get(placeKey);
  const own = vscode.Uri.joinPath(storageUri, "conversations.db").fsPath;
  const previous = typeof known === "string" ? known : own;
  if (previous === current || !hasPrivateFile(previous)) return await globalState.update(placeKey, current);
  const copy = vscode.l10n.t("Copy Conversations");
  const leave = vscode.l10n.t("Don't Copy");
  const question = vscode.l10n.t(
    "Conversations are now stored in {0}. Copy the earlier ones from {1}? They are also kept there.",
    current,
    previous,
  );
  const answer = await showInformationMessage(question, copy, leave);
  if (answer === undefined) return;
  if (answer === copy) {
    const uri = vscode.Uri.file(previous);
    const tally = await importDatabase(store, context, uri);
    const missing = await countMissing(context, uri);
    if (tally.hasRefused || missing > 0) return warnIncomplete(tally.sentence(), previous);
    showConfirmation(tally.sentence());
  }
  await globalState.update(placeKey, current);
}

/** The number of messages in the database that aren't in the store, read back from the disk. */
async function countMissing(
  { store, extensionUri }: EarlierStoresContext,
  { fsPath }: vscode.Uri,
): Promise<number> {
  if (!(await store.persist())) return Infinity;
  let missing = 0;
  const thread = vscode.Uri.joinPath(extensionUri, "dist", "importThread.js").fsPath;
  for await (const file of readImportsInThread(thread, [fsPath])) {
    if ("problem" in file) return Infinity;
    for (const conversation of file.imported.conversations)
      missing += missingMessages(conversation, store.load(conversation.id)).length;
  }
  return missing;
}

function warnIncomplete(sentence: string, previous: string): void {
  const message = vscode.l10n.t(
    "{0} Not everything in {1} could be copied. Nothing was deleted there, and copying is offered again.",
    sentence,
    previous,
  );
  void showWarningMessage(message);
}

async function offerRemote(context: EarlierStoresContext, uri: vscode.Uri): Promise<void> {
  const { globalState, store } = context;
  const stored: unknown = globalState.get(offeredKey);
  const offered: readonly unknown[] = Array.isArray(stored) ? stored : [];
  if (offered.includes(uri.toString())) return;
  await globalState.update(offeredKey, [...offered, uri.toString()]);
  const take = vscode.l10n.t("Import");
  const message = vscode.l10n.t(
    "An earlier version of Inference Gateway stored conversations on {0}, where they are lost when the machine is released. Import them to your own machine?",
    sanitizeLabel(vscode.env.remoteName ?? uri.authority, 60),
  );
  if ((await showInformationMessage(message, take, vscode.l10n.t("Don't Import"))) !== take) return;
  const tally = await importDatabase(store, context, uri);
  if (tally.hasRefused) void showWarningMessage(tally.sentence());
  else showConfirmation(tally.sentence());
}

/**
 * The databases that this extension left on the machine of the workspace when it still ran there. The user's home
 * folder can't be determined, so it is the one around the workspace, or the only one of the machine. Those of other
 * users are never looked at.
 */
export async function findRemoteDatabases(
  folders: readonly vscode.Uri[] = remoteFolders(),
): Promise<readonly vscode.Uri[]> {
  const found = await Promise.all(folders.map(findNear));
  return [...new Map(found.flat().map((uri) => [uri.toString(), uri])).values()];
}

function remoteFolders(): readonly vscode.Uri[] {
  if (remoteHostName() !== undefined) return [];
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  return folders.filter(({ scheme }) => scheme === "vscode-remote");
}

async function findNear(folder: vscode.Uri): Promise<readonly vscode.Uri[]> {
  const [around] = /^(?:\/[A-Za-z]:)?\/(?:home|Users)\/[^/]+|^\/root/.exec(folder.path) ?? [];
  if (around !== undefined) return findInHome(folder.with({ path: around }));
  const all = folder.with({ path: "/home" });
  const names = await readFolders(all);
  // Only its owner can read the home folder of the administrator.
  const homes = [folder.with({ path: "/root" })];
  if (names.length === 1) homes.push(vscode.Uri.joinPath(all, ...names));
  return (await Promise.all(homes.map(findInHome))).flat();
}

async function findInHome(home: vscode.Uri): Promise<readonly vscode.Uri[]> {
  const servers = (await readFolders(home)).filter(
    (name) => name.startsWith(".") && /server|remote/.test(name),
  );
  const uris = [...servers.slice(0, maxServers), ".local/share/code-server"].flatMap((server) =>
    dataFolders.map((path) => vscode.Uri.joinPath(home, server, path)),
  );
  const exist = await Promise.all(uris.map(isFile));
  return uris.filter((_, index) => exist[index]);
}

async function readFolders(uri: vscode.Uri): Promise<readonly string[]> {
  try {
    const entries = await vscode.workspace.fs.readDirectory(uri);
    return entries.filter(([, type]) => (type & vscode.FileType.Directory) !== 0).map(([name]) => name);
  } catch {
    return [];
  }
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  return await vscode.workspace.fs.stat(uri).then(
    ({ size }) => size > 0,
    () => false,
  );
}
