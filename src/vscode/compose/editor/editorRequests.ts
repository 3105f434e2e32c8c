import * as vscode from "vscode";
import type {
  CompletionMessage,
  CompletionPort,
  CompletionRequest,
  CompletionRun,
} from "../../../core/conversation/completion.ts";
import { endingOf } from "../../../core/conversation/finishReason.ts";
import { inertText } from "../../../core/kernel/foreignText.ts";
import type { RequestPurpose } from "../../../core/conversation/requestPurpose.ts";
import type { CodeReply } from "../../../core/compose/editor/codeReply.ts";
import { ServiceError, logFailure } from "../../../core/kernel/errors.ts";
import { isRecord, stringField } from "../../../core/kernel/json.ts";
import type { Log } from "../../../core/kernel/log.ts";
import type { ChatModels } from "../../conversation/chatModels.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { setContextKey } from "../../shell/contextKey.ts";
import { showConfirmation, showErrorMessage } from "../../shell/window.ts";

/** What requests from an editor need: edits in place and commit messages belong to no conversation. */
export interface EditorRequestsContext {
  readonly log: Log;
  readonly globalState: vscode.Memento;
  readonly models: Pick<ChatModels, "choose" | "chooseDefault" | "profileName">;
  /** Guards and records what is sent. */
  readonly completions: CompletionPort;
  /** The user's instructions for this workspace; undefined if there are none. */
  instructions(): Promise<string | undefined>;
}

/** The purposes of the requests that are sent here. */
type EditorPurpose = Extract<RequestPurpose, "inlineEdit" | "commitMessage">;

interface EditorRequest {
  /** Identifies the request while it runs. */
  readonly id: string;
  readonly purpose: EditorPurpose;
  readonly messages: readonly CompletionMessage[];
  /** Shown in the status bar, such as "Editing app.ts". */
  readonly title: string;
  /** Receives the response. */
  readonly reply: CodeReply;
  /** The reply has changed. Called at most every 80 ms, because the whole reply is read each time. */
  onProgress(): void;
}

const progressMs = 80;

/** How a response ended: `cut` is one that the server ended early, for example because it was too long. */
export type RequestEnd = "complete" | "stopped" | "cut" | "failed";

interface Running {
  readonly request: EditorRequest;
  /** Undefined until the model is known. */
  run?: CompletionRun;
  isStopped: boolean;
}

/** The models that editor actions use, by profile. */
const modelsKey = "inferenceGateway.editorModels";

/** VS Code's context keys, which are set while there is a request of this purpose. */
const contextKeys = {
  inlineEdit: "inferenceGateway.isEditing",
  commitMessage: "inferenceGateway.isWritingCommitMessage",
} as const satisfies Readonly<Record<EditorPurpose, string>>;

/** Sends the requests of the editor's actions, shows them in the status bar and stops them. */
export class EditorRequests implements vscode.Disposable {
  readonly #context: EditorRequestsContext;
  readonly #running = new Map<string, Running>();
  readonly #item = vscode.window.createStatusBarItem(
    "inferenceGateway.editorRequests",
    vscode.StatusBarAlignment.Left,
    -1_000,
  );

  constructor(context: EditorRequestsContext) {
    this.#context = context;
    this.#item.name = vscode.l10n.t("Inference Gateway: Edits in Progress");
  }

  /** Lets the user choose a different model for editor actions with the active profile. */
  async selectModel(): Promise<void> {
    const { globalState, models } = this.#context;
    const { profileName } = models;
    const model = await models.choose(vscode.l10n.t("Model for editor actions"), this.#chosen);
    if (model === undefined) return;
    const chosen: unknown = globalState.get(modelsKey);
    await globalState.update(modelsKey, { ...(isRecord(chosen) ? chosen : {}), [profileName]: model });
    showConfirmation(vscode.l10n.t("Editor actions use {0}.", model));
  }

  /** Streams the response into the reply. Reports a failure itself. */
  async send(request: EditorRequest): Promise<RequestEnd> {
    const running: Running = { request, isStopped: false };
    this.#running.set(request.id, running);
    this.#show();
    try {
      const model = this.#chosen ?? (await this.#context.models.chooseDefault());
      const messages = withInstructions(request.messages, await this.#context.instructions());
      return await this.#complete(running, { model, messages, stream: true });
    } catch (error) {
      if (running.isStopped) return "stopped";
      logFailure(this.#context.log, error);
      const why = error instanceof ServiceError ? error.message : vscode.l10n.t("See the log for details.");
      void showErrorMessage(why);
      return error instanceof ServiceError && error.reason === "truncated" ? "cut" : "failed";
    } finally {
      request.reply.finish();
      this.#running.delete(request.id);
      this.#show();
    }
  }

  /** There is nothing but the request itself that could be left out, so it is sent once more, and cut to what fits. */
  async #complete(running: Running, request: CompletionRequest): Promise<RequestEnd> {
    try {
      if (running.isStopped) return "stopped";
      running.run = this.#context.completions.complete(request, { purpose: running.request.purpose });
      return await read(running, running.run.events);
    } catch (error) {
      const isTooLong = error instanceof ServiceError && error.reason === "contextLength";
      if (!isTooLong || request.shorten !== undefined || !running.request.reply.isEmpty) throw error;
      return this.#complete(running, { ...request, shorten: error.facts.tokens ?? {} });
    }
  }

  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  /** Stops the request with this ID, all requests of a purpose, or all of them. */
  stop(which?: { readonly id: string } | { readonly purpose: EditorPurpose }): void {
    for (const running of this.#running.values()) {
      const { id, purpose } = running.request;
      const isMeant = which === undefined || ("id" in which ? which.id === id : which.purpose === purpose);
      if (!isMeant) continue;
      running.isStopped = true;
      running.run?.stop();
    }
  }

  dispose(): void {
    this.stop();
    this.#item.dispose();
  }

  get #chosen(): string | undefined {
    const chosen: unknown = this.#context.globalState.get(modelsKey);
    return isRecord(chosen) ? stringField(chosen, this.#context.models.profileName) : undefined;
  }

  #show(): void {
    const running = [...this.#running.values()].map(({ request }) => request);
    for (const purpose of ["inlineEdit", "commitMessage"] as const) {
      const isThere = running.some((request) => request.purpose === purpose);
      setContextKey(contextKeys[purpose], isThere);
    }
    const [first] = running;
    if (first === undefined) return this.#item.hide();
    const title =
      running.length === 1 ? first.title : vscode.l10n.t("{0} requests are running", String(running.length));
    this.#item.text = `$(loading~spin) ${inertText(title, 60)} $(debug-stop)`;
    this.#item.accessibilityInformation = { label: vscode.l10n.t("{0}. Press Enter to stop.", title) };
    this.#item.tooltip = vscode.l10n.t("Stop");
    this.#item.command = { title: vscode.l10n.t("Stop"), command: commandIds.stop };
    this.#item.show();
  }
}

/** The messages with the user's instructions after the system prompt. */
function withInstructions(
  messages: readonly CompletionMessage[],
  instructions: string | undefined,
): readonly CompletionMessage[] {
  if (instructions === undefined) return messages;
  const own = messages.filter(({ role }) => role === "system").map(({ content }) => content);
  const content = [...own, instructions].join("\n\n");
  return [{ role: "system", content }, ...messages.filter(({ role }) => role !== "system")];
}

async function read(running: Running, events: CompletionRun["events"]): Promise<RequestEnd> {
  const { reply, onProgress } = running.request;
  let finish: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  const report = (): void => {
    timer = undefined;
    onProgress();
  };
  try {
    for await (const event of events) {
      if (event.type === "finish") finish = event.reason;
      else if (event.type === "text") reply.push(event.text);
      else if (event.type === "reasoningEnd") reply.restart();
      else continue;
      timer ??= setTimeout(report, progressMs);
    }
  } finally {
    clearTimeout(timer);
  }
  reply.finish();
  if (running.isStopped) return "stopped";
  const ending = endingOf(finish);
  const isCut = ending === "length" || ending === "filter" || ending === "interrupted";
  return isCut || reply.isOpen ? "cut" : "complete";
}
