import * as vscode from "vscode";
import { assertNever } from "../../../core/kernel/assertNever.ts";
import type {
  Composition,
  ContextFromWebview,
  ContextToWebview,
} from "../../../core/compose/context/contextProtocol.ts";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import { logFailure } from "../../../core/kernel/failureMessage.ts";
import type { Log } from "../../../core/kernel/log.ts";
import type { ServersView } from "../../servers/serversView.ts";
import type { LastEditor } from "../../shell/lastEditor.ts";
import { commandChoices } from "../commands/commandChoices.ts";
import type { CommandSteps } from "../commands/commandChoices.ts";
import type { PromptFile } from "../commands/promptFiles.ts";
import { attachFiles, attachForeignText } from "./attachFiles.ts";
import type { FileOrigin } from "../../shell/fileBoundary.ts";
import type { Choice } from "./choice.ts";
import { refusal } from "./choice.ts";
import { contextChoices } from "./contextChoices.ts";
import type { ContextDocuments } from "./openContext.ts";

export interface ContextSuggestionsContext {
  readonly log: Log;
  readonly lastEditor: LastEditor;
  readonly documents: ContextDocuments;
  readonly steps: CommandSteps;
  /** Loaded at the first search for a server. */
  readonly servers: () => Promise<ServersView>;
}

type Suggest = Extract<ContextFromWebview, { readonly type: "suggest" }>;

/** Provides one page's suggestions for `#` and `/` while its user types, and inserts what is chosen. */
export class ContextSuggestions implements vscode.Disposable {
  readonly #session: ChatSession;
  readonly #context: ContextSuggestionsContext;
  readonly #post: (message: ContextToWebview) => void;
  /** The choices last offered to the page, by ID. */
  #offered = new Map<string, Choice>();
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

  handle(message: ContextFromWebview): void {
    switch (message.type) {
      case "suggest":
        return void this.#suggest(message);
      case "suggestEnd":
        this.#prompts = undefined;
        return this.#search?.cancel();
      case "pickSuggestion":
        return void this.#pick(message.id);
      case "attachText":
        return void this.#compose(() => attachForeignText(message.title, message.text));
      case "openContext":
        return void this.#context.documents
          .show(message.title, message.text)
          .catch((error: unknown) => logFailure(this.#context.log, error));
      default:
        return assertNever(message);
    }
  }

  /** Attaches files that the user has picked or dropped. */
  attach(uris: readonly vscode.Uri[], origin: FileOrigin): void {
    void this.#compose(() => attachFiles(uris, origin));
  }

  dispose(): void {
    this.#search?.cancel();
  }

  async #suggest(message: Suggest): Promise<void> {
    this.#search?.cancel();
    const search = new vscode.CancellationTokenSource();
    this.#search = search;
    const choices = await this.#find(message, search.token).catch((error: unknown) => {
      logFailure(this.#context.log, error);
      return [];
    });
    if (search.token.isCancellationRequested) return;
    const { queryId } = message;
    this.#offered = new Map(choices.map((choice, index) => [`${queryId}.${index}`, choice]));
    const items = [...this.#offered].map(([id, { suggestion }]) => ({ id, ...suggestion }));
    this.#post({ type: "suggestions", queryId, items });
  }

  async #find({ trigger, text }: Suggest, token: vscode.CancellationToken): Promise<readonly Choice[]> {
    const { lastEditor, steps, servers } = this.#context;
    if (trigger === "#") return contextChoices(text, lastEditor.last, token, servers);
    // Loaded on demand, because it includes a YAML parser.
    this.#prompts ??= import("../commands/promptFiles.ts").then(({ readPromptFiles }) => readPromptFiles());
    const suggestions = { session: this.#session, editor: () => lastEditor.last, steps };
    return commandChoices(text, await this.#prompts, suggestions);
  }

  async #pick(id: string): Promise<void> {
    const choice = this.#offered.get(id);
    if (choice?.pick !== undefined) await this.#compose(choice.pick);
  }

  async #compose(pick: () => Promise<Composition>): Promise<void> {
    let composition: Composition;
    try {
      composition = await pick();
    } catch (error) {
      logFailure(this.#context.log, error);
      composition = refusal(vscode.l10n.t("Couldn't attach the item. See the log for details."));
    }
    this.#post({ type: "compose", ...composition });
  }
}
