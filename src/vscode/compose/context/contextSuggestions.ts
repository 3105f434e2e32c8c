import * as vscode from "vscode";
import type { Composition, ContextToWebview } from "../../../core/compose/context/contextProtocol.ts";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import { logFailure } from "../../../core/kernel/errors.ts";
import type { Log } from "../../../core/kernel/log.ts";
import type { PageMessage } from "../../../core/panel/protocol.ts";
import { calledRow, chooseServer } from "../../servers/chooseServer.ts";
import type { CalledOn } from "../../servers/chooseServer.ts";
import type { ServersView } from "../../servers/serversView.ts";
import type { FileOrigin } from "../../shell/fileBoundary.ts";
import { LastEditor } from "../../shell/lastEditor.ts";
import { showConfirmation } from "../../shell/window.ts";
import { commandChoices } from "../commands/commandChoices.ts";
import type { StepName } from "../commands/commandChoices.ts";
import type { PromptFile } from "../commands/promptFiles.ts";
import { attachFiles, attachForeignText, attachSelection } from "./attachFiles.ts";
import { onlyNotice } from "./choice.ts";
import type { Choice } from "./choice.ts";
import { attachTerminalSelection, contextChoices } from "./contextChoices.ts";
import { ContextDocuments } from "./openContext.ts";
import { attachServer } from "./serverChoices.ts";

/** Shared by the context suggestions of all chats. */
export class ContextTools implements vscode.Disposable {
  readonly #lastEditor = new LastEditor();
  readonly #documents = new ContextDocuments();
  readonly #log: Log;
  readonly #runStep: (name: StepName) => void;

  readonly #servers: () => Promise<ServersView>;

  constructor(log: Log, runStep: (name: StepName) => void, servers: () => Promise<ServersView>) {
    this.#log = log;
    this.#runStep = runStep;
    this.#servers = servers;
  }

  createSuggestions(session: ChatSession, post: (message: ContextToWebview) => void): ContextSuggestions {
    const context = {
      ...{ log: this.#log, lastEditor: this.#lastEditor, documents: this.#documents },
      ...{ servers: this.#servers, runStep: this.#runStep },
    };
    return new ContextSuggestions(session, context, post);
  }

  /** The selection in the editor; undefined, with a message, if there is nothing to attach. */
  async readSelection(): Promise<Composition | undefined> {
    return showRefusal(await attachSelection(this.#lastEditor.last));
  }

  /** The selection in the active terminal. */
  async readTerminalSelection(): Promise<Composition | undefined> {
    return showRefusal(await attachTerminalSelection());
  }

  /** The files that a menu was opened on, otherwise the editor's file. */
  async readFiles(clicked: unknown, selected: unknown): Promise<Composition | undefined> {
    const uris = chosenUris(clicked, selected);
    const last = this.#lastEditor.last?.document.uri;
    const chosen = uris.length > 0 || last === undefined ? uris : [last];
    if (chosen.length > 0) return showRefusal(await attachFiles(chosen, "chosen"));
    showConfirmation(vscode.l10n.t("No text editor is open."));
    return undefined;
  }

  /** The record of the server in this row of the tree or table, or of one that the user picks. */
  async readServer(called: CalledOn): Promise<Composition | undefined> {
    const serversView = await this.#servers();
    const row = await calledRow(serversView, "attachServer", called);
    const chosen = row === "none" ? undefined : await chooseServer(serversView, row);
    return chosen === undefined ? undefined : attachServer(serversView, chosen);
  }

  dispose(): void {
    this.#lastEditor.dispose();
    this.#documents.dispose();
  }
}

function showRefusal(composition: Composition): Composition | undefined {
  if (composition.parts.length > 0) return composition;
  if (composition.notice !== undefined) showConfirmation(composition.notice);
  return undefined;
}

/** The resources that VS Code passes to a command from the explorer, a tab or the palette. */
function chosenUris(clicked: unknown, selected: unknown): readonly vscode.Uri[] {
  const list: readonly unknown[] = Array.isArray(selected) && selected.length > 0 ? selected : [clicked];
  return list.filter((uri) => uri instanceof vscode.Uri);
}

interface ContextSuggestionsContext {
  readonly log: Log;
  readonly lastEditor: LastEditor;
  readonly documents: ContextDocuments;
  readonly runStep: (name: StepName) => void;
  /** Loaded at the first search for a server. */
  readonly servers: () => Promise<ServersView>;
}

/** Provides one page's suggestions for `#` and `/` while its user types, and inserts what is chosen. */
export class ContextSuggestions implements vscode.Disposable {
  readonly #session: ChatSession;
  readonly #context: ContextSuggestionsContext;
  readonly #post: (message: ContextToWebview) => void;
  /**
   * The choices offered since the list was opened, by ID. Earlier ones are kept because the page still shows them, and
   * its user may choose one, while the next ones are on their way.
   */
  readonly #offered = new Map<string, Choice>();
  #search: vscode.CancellationTokenSource | undefined;
  /** Read once each time the list opens. */
  #prompts: Promise<readonly PromptFile[]> | undefined;

  constructor(
    session: ChatSession,
    context: ContextSuggestionsContext,
    post: (message: ContextToWebview) => void,
  ) {
    this.#session = session;
    this.#context = context;
    this.#post = post;
  }

  /** The list is closed. */
  end(): void {
    this.#prompts = undefined;
    this.#offered.clear();
    this.#search?.cancel();
  }

  /** Attaches the text of a file that was dropped or pasted from outside VS Code. */
  attachText({ title, text }: PageMessage<"attachText">): Promise<void> {
    return this.#compose(() => attachForeignText(title, text));
  }

  /** Shows an attachment. */
  open({ title, text }: PageMessage<"openContext">): Promise<void> {
    return this.#context.documents.show(title, text);
  }

  /** Attaches files that the user has picked or dropped. */
  attach(uris: readonly vscode.Uri[], origin: FileOrigin): void {
    void this.#compose(() => attachFiles(uris, origin));
  }

  dispose(): void {
    this.#search?.cancel();
  }

  /** Sends the page what fits the text that the user is typing. */
  async suggest(message: PageMessage<"suggest">): Promise<void> {
    this.#search?.cancel();
    const search = new vscode.CancellationTokenSource();
    this.#search = search;
    const choices = await this.#find(message, search.token).catch((error: unknown) => {
      logFailure(this.#context.log, error);
      return [];
    });
    if (search.token.isCancellationRequested) return;
    const { queryId } = message;
    const items = choices.map((choice, index) => {
      const id = `${queryId}.${index}`;
      this.#offered.set(id, choice);
      return { id, ...choice.suggestion };
    });
    this.#post({ type: "suggestions", queryId, items });
  }

  async #find(
    { trigger, text }: PageMessage<"suggest">,
    token: vscode.CancellationToken,
  ): Promise<readonly Choice[]> {
    const { lastEditor, runStep, servers } = this.#context;
    if (trigger === "#") return contextChoices(text, lastEditor.last, token, servers);
    // Loaded on demand, because it includes a YAML parser.
    this.#prompts ??= import("../commands/promptFiles.ts").then(({ readPromptFiles }) => readPromptFiles());
    return commandChoices(text, await this.#prompts, { editor: () => lastEditor.last, runStep });
  }

  /** Inserts what the user has chosen. */
  async pick(id: string): Promise<void> {
    const choice = this.#offered.get(id);
    if (choice?.pick !== undefined) await this.#compose(choice.pick);
  }

  async #compose(pick: () => Promise<Composition>): Promise<void> {
    let composition: Composition;
    try {
      composition = await pick();
    } catch (error) {
      logFailure(this.#context.log, error);
      composition = onlyNotice(vscode.l10n.t("Couldn't attach the item. See the log for details."));
    }
    if (composition.foreign !== undefined) this.#session.noteForeign(composition.foreign);
    this.#post({ type: "compose", ...composition });
  }
}
