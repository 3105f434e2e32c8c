import * as vscode from "vscode";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { Conversation, Message } from "../../core/conversation/conversation.ts";
import type { ConversationStore } from "../../core/conversation/conversationStore.ts";
import { mergeTags } from "../../core/conversation/conversationTags.ts";
import { MessageTree } from "../../core/conversation/messageTree.ts";
import { logFailure } from "../../core/kernel/errors.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import { messageOf } from "../../core/kernel/thrown.ts";
import { exportFileName } from "../../core/library/history/exportPieces.ts";
import { titleForMessages } from "../../core/library/history/conversationGroups.ts";
import { ImportTally } from "../../core/library/import/importTally.ts";
import { importedTitle } from "../../core/library/import/imported.ts";
import { keptFileEnding } from "../../core/library/kept/keptFile.ts";
import type { KeptContents } from "../../core/library/kept/keptFile.ts";
import { isNewer, isWorthKeeping } from "../../core/library/kept/keptLines.ts";
import { createPause } from "../shell/pause.ts";
import { sha256Hex } from "../shell/digest.ts";
import { exists } from "../shell/findFiles.ts";
import { fitsDialog, showConfirmation, showErrorMessage, showWarningMessage } from "../shell/window.ts";
import { KeptConversation } from "./keptConversation.ts";
import { addAttributes, readKept, withMedia } from "./keptFiles.ts";
import type { KeptConversationContext } from "./keptConversation.ts";

/** What is needed to keep files of the workspace and conversations in agreement. */
export interface KeptConversationsContext extends KeptConversationContext {
  readonly workspaceState: vscode.Memento;
  store(): Promise<ConversationStore>;
  /** The conversation if it is open. */
  find(conversationId: string): ChatSession | undefined;
  isShown(session: ChatSession): boolean;
}

/** The key in the workspace's state of the files by the IDs of their conversations. */
const stateKey = "inferenceGateway.keptConversations";

/** The conversations that are kept in files of the workspace. */
export class KeptConversations implements vscode.Disposable {
  readonly #context: KeptConversationsContext;
  /** The open files by their URIs. */
  readonly #open = new Map<string, { readonly kept: KeptConversation; readonly watch: vscode.Disposable }>();

  constructor(context: KeptConversationsContext) {
    this.#context = context;
  }

  /** The file in this workspace that a conversation is kept in; undefined if there is none, or if it was deleted. */
  async fileOf(conversationId: string): Promise<vscode.Uri | undefined> {
    const file = stringField(this.#files, conversationId);
    if (file === undefined) return undefined;
    const uri = vscode.Uri.parse(file);
    return vscode.workspace.fs.stat(uri).then(
      () => uri,
      () => undefined,
    );
  }

  /** Asks for a file, writes the conversation to it, and returns the file; undefined if the user cancels. */
  async keep(conversation: Conversation): Promise<vscode.Uri | undefined> {
    const uri = await askForFile(conversation.title);
    if (uri === undefined) return undefined;
    const kept = new KeptConversation(uri, this.#context);
    const tree = new MessageTree(conversation.messages, conversation.leafId);
    const { id, title, createdAt, model, settings, tags = [] } = conversation;
    const { systemPrompt } = settings ?? {};
    const named = { ...(model && { model }), ...(systemPrompt && { systemPrompt }) };
    const head = { id, title, createdAt, tags, ...named };
    try {
      const isSame = await readKept(uri).then(
        ({ contents }) => contents.head?.id === id,
        () => false,
      );
      const messages = tree.all.filter(isWorthKeeping);
      if (!(await kept.write({ head, changedAt: Date.now(), messages }, !isSame))) return undefined;
      await addAttributes(vscode.Uri.joinPath(uri, ".."));
    } catch (error) {
      logFailure(this.#context.log, error);
      const reason = messageOf(error);
      void showErrorMessage(vscode.l10n.t("The conversation couldn't be saved. {0}", reason));
      return undefined;
    }
    await this.#remember(id, uri);
    showConfirmation(vscode.l10n.t("The conversation is kept in {0}.", vscode.workspace.asRelativePath(uri)));
    return uri;
  }

  /**
   * Adds what the file contains to the stored conversations and returns the ID of the conversation.
   * @throws A sentence if the file doesn't contain one.
   */
  async open(uri: vscode.Uri): Promise<string> {
    const { contents } = await readKept(uri);
    const { head, messages, damagedLines } = contents;
    const name = vscode.workspace.asRelativePath(uri);
    if (head === undefined && messages.length === 0)
      throw new Error(vscode.l10n.t("{0} contains no conversation. Open it with the text editor.", name));
    const id = await this.#identify(uri, contents);
    await this.#takeIn(uri, id, contents);
    if (damagedLines > 0)
      void showWarningMessage(
        vscode.l10n.t(
          "{0} lines of {1} can't be read. They stay in the file.",
          formatNumber(damagedLines),
          name,
        ),
      );
    await this.#remember(id, uri);
    return id;
  }

  /** Changes the tags in the file of this workspace that the conversation is kept in. */
  async retag(conversationId: string, before: readonly string[], tags: readonly string[]): Promise<void> {
    const uri = await this.fileOf(conversationId);
    if (uri === undefined) return;
    const kept = this.#open.get(uri.toString())?.kept ?? new KeptConversation(uri, this.#context);
    await kept.writeTags(before, tags);
  }

  /** From now on, the session's messages are written to the file, and what others write to it is added. */
  follow(uri: vscode.Uri, session: ChatSession): void {
    this.#forget(uri);
    const kept = new KeptConversation(uri, this.#context);
    kept.follow(session);
    const watcher = vscode.workspace.createFileSystemWatcher(
      new vscode.RelativePattern(
        vscode.Uri.joinPath(uri, ".."),
        uri.path.slice(uri.path.lastIndexOf("/") + 1),
      ),
    );
    const look = (): void => void this.#look(uri, kept, session.id);
    const watch = vscode.Disposable.from(watcher, watcher.onDidChange(look), watcher.onDidCreate(look));
    this.#open.set(uri.toString(), { kept, watch });
  }

  /** Called when an editor of the file was closed. A response in progress is still written. */
  async release(uri: vscode.Uri, session: ChatSession): Promise<void> {
    const open = this.#open.get(uri.toString());
    if (open === undefined || this.#context.isShown(session)) return;
    if (session.state.isOpen) {
      await new Promise<void>((resolve) => {
        const stop = session.subscribe((event) => {
          if (event.type !== "streaming" || session.state.isOpen) return;
          stop();
          resolve();
        });
      });
    }
    await open.kept.flush();
    if (this.#open.get(uri.toString()) === open && !this.#context.isShown(session)) this.#forget(uri);
  }

  dispose(): void {
    for (const { kept, watch } of this.#open.values()) {
      kept.dispose();
      watch.dispose();
    }
    this.#open.clear();
  }

  #forget(uri: vscode.Uri): void {
    const open = this.#open.get(uri.toString());
    open?.kept.dispose();
    open?.watch.dispose();
    this.#open.delete(uri.toString());
  }

  async #look(uri: vscode.Uri, kept: KeptConversation, id: string): Promise<void> {
    try {
      const { text, contents } = await readKept(uri);
      if (!kept.isOwn(text)) await this.#takeIn(uri, id, contents);
    } catch (error) {
      logFailure(this.#context.log, error);
    }
  }

  /**
   * The ID of the stored conversation that the file belongs to. A file that claims the ID of another conversation is a
   * conversation of its own: otherwise, messages of the other one would be written to it.
   */
  async #identify(uri: vscode.Uri, { head, messages }: KeptContents): Promise<string> {
    const own = `kept-${sha256Hex(`${uri.toString()} ${head?.id ?? ""}`)}`;
    if (head === undefined) return own;
    const stored = await (await this.#context.store()).loadInSlices(head.id, createPause());
    const known = new Set(stored?.messages.map(({ id }) => id));
    return stored === undefined || messages.some(({ id }) => known.has(id)) ? head.id : own;
  }

  /** Stores the messages that aren't stored yet, and shows them if the conversation is open. */
  async #takeIn(uri: vscode.Uri, id: string, contents: KeptContents): Promise<void> {
    const store = await this.#context.store();
    const stored = await store.loadInSlices(id, createPause());
    if (stored === undefined) return this.#addNew(store, uri, id, contents);
    const tags = mergeTags([], stored.tags ?? [], contents.head?.tags ?? []);
    if (tags.length > (stored.tags ?? []).length) store.tagConversation(id, tags);
    const tree = new MessageTree(stored.messages, stored.leafId);
    const leaf = tree.path.at(-1)?.id;
    const added: Message[] = [];
    for (const message of contents.messages)
      if (isNewer(message, tree.find(message.id))) added.push(await withMedia(uri, message));
    if (added.length === 0) return;
    // Nothing is awaited from here on, so that the session doesn't get the same message from elsewhere.
    const session = this.#context.find(id);
    if (session !== undefined)
      return session.takeIn(added.filter((message) => isNewer(message, session.state.find(message.id))));
    for (const message of added) {
      store.saveMessage(id, message);
      if (tree.find(message.id) === undefined) tree.addAside(message);
    }
    const end = leaf === undefined ? undefined : tree.pathFrom(leaf).at(-1)?.id;
    // What was shown stays shown, up to the end of what follows it.
    if (end !== undefined) store.saveConversation({ ...stored, leafId: end });
    store.flush();
  }

  async #addNew(
    store: ConversationStore,
    uri: vscode.Uri,
    id: string,
    contents: KeptContents,
  ): Promise<void> {
    const { head } = contents;
    const messages = [];
    for (const message of contents.messages) messages.push(await withMedia(uri, message));
    const systemPrompt = await askForPrompt(uri, head?.systemPrompt);
    const createdAt = head?.createdAt ?? messages[0]?.createdAt ?? Date.now();
    const conversation: Conversation = {
      id,
      title: importedTitle(head?.title, messages),
      createdAt,
      updatedAt: messages.at(-1)?.createdAt ?? createdAt,
      messages,
      ...(head?.model === undefined ? {} : { model: head.model }),
      ...(head?.tags === undefined ? {} : { tags: head.tags }),
      ...(systemPrompt === undefined ? {} : { settings: { systemPrompt } }),
    };
    const pause = createPause();
    const tally = new ImportTally(store);
    const slices = tally.take({ conversations: [conversation], leftOut: 0 });
    while (slices.next().done !== true) await pause();
  }

  get #files(): Readonly<Record<string, unknown>> {
    const files = this.#context.workspaceState.get<unknown>(stateKey);
    return isRecord(files) ? files : {};
  }

  async #remember(id: string, uri: vscode.Uri): Promise<void> {
    if (this.#files[id] === uri.toString()) return;
    await this.#context.workspaceState.update(stateKey, { ...this.#files, [id]: uri.toString() });
  }
}

async function askForFile(title: string): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (folder === undefined) {
    void showWarningMessage(vscode.l10n.t("Open a folder first: the conversation is kept in a file in it."));
    return undefined;
  }
  const name = exportFileName(title, "json").replace(/\.json$/, keptFileEnding);
  const uri = await vscode.window.showSaveDialog({
    title: vscode.l10n.t("Keep Conversation in Repository"),
    saveLabel: vscode.l10n.t("Keep"),
    defaultUri: vscode.Uri.joinPath(folder, name),
    filters: { [vscode.l10n.t("Conversations")]: ["jsonl"] },
  });
  if (uri === undefined || uri.path.endsWith(keptFileEnding)) return uri;
  const completed = uri.with({ path: `${uri.path.replace(/\.jsonl$/, "")}${keptFileEnding}` });
  // VS Code has asked only about the name without its extension.
  const isTaken = await exists(completed);
  if (!isTaken) return completed;
  const relative = vscode.workspace.asRelativePath(completed);
  void showWarningMessage(vscode.l10n.t("{0} already exists. Choose another name.", relative));
  return undefined;
}

/** A system prompt influences every response, so one from a file is shown first. */
async function askForPrompt(uri: vscode.Uri, prompt: string | undefined): Promise<string | undefined> {
  if (prompt === undefined || prompt.trim() === "") return undefined;
  const name = titleForMessages(vscode.workspace.asRelativePath(uri));
  if (!fitsDialog(prompt)) {
    void showWarningMessage(
      vscode.l10n.t("{0} contains a system prompt that is too long to be shown, so it isn't used.", name),
    );
    return undefined;
  }
  const [use, decline] = [vscode.l10n.t("Use System Prompt"), vscode.l10n.t("Open Without It")];
  const question = vscode.l10n.t("{0} contains a system prompt. Use it for this conversation?", name);
  const picked = await showWarningMessage(question, { modal: true, detail: prompt }, decline, use);
  return picked === use ? prompt : undefined;
}
