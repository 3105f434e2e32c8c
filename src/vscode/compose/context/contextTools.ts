import * as vscode from "vscode";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import type { Composition, ContextToWebview } from "../../../core/compose/context/contextProtocol.ts";
import type { Log } from "../../../core/kernel/log.ts";
import { LastEditor } from "../../shell/lastEditor.ts";
import { CommitOffers } from "../commands/commitOffers.ts";
import type { StepName } from "../commands/commandChoices.ts";
import type { Row } from "../../../core/servers/tree/rows.ts";
import { chooseServer } from "../../servers/chooseServer.ts";
import type { ServersView, ServerMenuContext } from "../../servers/serversView.ts";
import { attachTerminalSelection } from "./contextChoices.ts";
import { attachServer } from "./serverChoices.ts";
import { attachFiles, attachSelection } from "./attachFiles.ts";
import { ContextSuggestions } from "./contextSuggestions.ts";
import { ContextDocuments } from "./openContext.ts";
import { showConfirmation } from "../../shell/window.ts";

/** Shared by the context suggestions of all chats. */
export class ContextTools implements vscode.Disposable {
  readonly #lastEditor = new LastEditor();
  readonly #documents = new ContextDocuments();
  readonly #offers = new CommitOffers();
  readonly #log: Log;
  readonly #runStep: (name: StepName) => void;

  readonly #servers: () => Promise<ServersView>;

  constructor(log: Log, runStep: (name: StepName) => void, servers: () => Promise<ServersView>) {
    this.#log = log;
    this.#runStep = runStep;
    this.#servers = servers;
  }

  createSuggestions(session: ChatSession, post: (message: ContextToWebview) => void): ContextSuggestions {
    const steps = { offers: this.#offers, run: this.#runStep };
    const [log, lastEditor, documents, servers] = [
      this.#log,
      this.#lastEditor,
      this.#documents,
      this.#servers,
    ];
    const context = { log, lastEditor, documents, servers, steps };
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
  async readServer(called: Row | ServerMenuContext | undefined): Promise<Composition | undefined> {
    const serversView = await this.#servers();
    const chosen = await chooseServer(serversView, serversView.rowFrom(called));
    return chosen === undefined ? undefined : attachServer(serversView, chosen);
  }

  dispose(): void {
    this.#lastEditor.dispose();
    this.#documents.dispose();
    this.#offers.dispose();
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
