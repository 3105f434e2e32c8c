import * as vscode from "vscode";
import type { Modality } from "../../core/compose/attachments/modalities.ts";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { Model } from "../../core/conversation/completion.ts";
import type { Draft } from "../../core/conversation/conversationStore.ts";
import { applyCapabilities } from "../../core/conversation/modelCapabilities.ts";
import { ModelCatalog } from "../../core/conversation/modelCatalog.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import { logFailure } from "../../core/kernel/failureText.ts";
import type { Log } from "../../core/kernel/log.ts";
import { noIcons } from "../../core/kernel/noIcons.ts";
import { defaultModel, modelPicker } from "../../core/panel/modelSelection.ts";
import type { ModelPicker } from "../../core/panel/protocol.ts";
import type { ModelMemory } from "../account/modelMemory.ts";
import type { Profiles } from "../account/profiles/profiles.ts";
import type { Clients } from "../shell/clients.ts";
import { showInformationMessage, showQuickPick } from "../shell/window.ts";
import { chatSettings } from "./chatSettings.ts";
import { requireInferenceProfile } from "./requireInferenceProfile.ts";
import { askOtherModel, loadModels, selectModel } from "./selectModel.ts";
import type { SetupWatch } from "./setupWatch.ts";

export interface ChatModelsContext {
  readonly log: Log;
  readonly profiles: Profiles;
  readonly clients: Clients;
  readonly setup: SetupWatch;
  /** Which model was used last. */
  readonly models: ModelMemory;
}

/** Whoever shows the models. */
export interface ModelViewers {
  /** Whether somebody looks at them: only then a new profile is asked for its own. */
  isThere(): boolean;
  update(): void;
}

/** The models of the active profile: which there are, and with which a conversation begins. */
export class ChatModels implements vscode.Disposable {
  readonly catalog: ModelCatalog;
  readonly #context: ChatModelsContext;
  readonly #viewers: ModelViewers;
  readonly #disposable: vscode.Disposable;

  constructor(context: ChatModelsContext, viewers: ModelViewers) {
    this.#context = context;
    this.#viewers = viewers;
    this.catalog = new ModelCatalog(() => {
      const abort = new AbortController();
      return { models: this.#list(abort.signal), stop: () => abort.abort() };
    });
    this.#disposable = vscode.Disposable.from(
      { dispose: this.catalog.onDidChange(() => this.#onDidChange()) },
      this.catalog,
      context.setup.onDidChange(() => this.#begin()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        const isTold = change.affectsConfiguration("inferenceGateway.models.capabilities");
        if (isTold && this.catalog.current.state !== "idle") void this.catalog.refresh();
      }),
    );
  }

  picker(session: ChatSession): ModelPicker {
    const isSetUp = this.#context.setup.notice === undefined;
    return modelPicker(this.catalog.current, session.state.model, this.#last, isSetUp);
  }

  /** The model for a conversation that has none yet. Rejects with a ServiceError where none can be had. */
  async chooseDefault(): Promise<string> {
    const state = await this.catalog.ensure();
    const model = defaultModel(state, this.#last);
    if (model !== undefined) return model;
    throw new ServiceError(state.state === "failed" ? state.error : noModels());
  }

  /** Asks for the model of a conversation, those with these senses first. */
  pick(session: ChatSession, modalities: readonly Modality[] = []): Promise<void> {
    return selectModel(session, this.catalog, modalities);
  }

  /** Asks which models are to answer the draft, or the user's last message where the draft is empty. */
  chooseSeveral(session: ChatSession, draft: Draft): Promise<readonly string[] | undefined> {
    return chooseModels(session, draft, this.catalog);
  }

  /** Asks for another model, and then it for another version of the answer. */
  askOther(session: ChatSession, messageId: string): Promise<void> {
    return askOtherModel(session, messageId, this.catalog);
  }

  /** The user, or the first answer, has settled on a model: new conversations begin with it. */
  use(model: string): void {
    const { profiles, models } = this.#context;
    if (profiles.active !== undefined) void models.remember(profiles.active.name, model);
    // New chats that are open show what they would begin with.
    this.#viewers.update();
  }

  /** Resolves when it is known what can be asked; begins to load the models. */
  async prepare(): Promise<void> {
    const { setup } = this.#context;
    await setup.ready();
    if (setup.notice === undefined && this.catalog.current.state === "idle") void this.catalog.ensure();
  }

  dispose(): void {
    this.#disposable.dispose();
  }

  get #profileName(): string {
    return this.#context.profiles.active?.name ?? "";
  }

  /** The one used last with the profile. */
  get #last(): string | undefined {
    return this.#context.models.read(this.#profileName);
  }

  #onDidChange(): void {
    this.#viewers.update();
    this.#context.models.beginWith(this.#profileName, defaultModel(this.catalog.current, this.#last));
  }

  /** Another profile or key. */
  #begin(): void {
    this.catalog.reset();
    if (this.#context.setup.notice === undefined && this.#viewers.isThere()) void this.catalog.ensure();
    this.#viewers.update();
  }

  async #list(signal: AbortSignal): Promise<readonly Model[]> {
    const { clients, profiles, log } = this.#context;
    try {
      const client = await clients.inference(requireInferenceProfile(profiles));
      const list = await client.listModels(signal, { retry: true });
      return applyCapabilities(list, chatSettings.capabilities());
    } catch (error) {
      if (!signal.aborted) logFailure(log, error);
      throw error;
    }
  }
}

function noModels() {
  return {
    reason: "notFound",
    message: vscode.l10n.t(
      "The inference service offers no models to chat with. Check the base URL of the profile.",
    ),
  } as const;
}

/**
 * Asks for the models that are to answer the draft, or the user's last message where the draft is empty. Undefined
 * where the user turns away, and where there is nothing to answer, which is said.
 */
async function chooseModels(
  session: ChatSession,
  draft: Draft,
  catalog: ModelCatalog,
): Promise<readonly string[] | undefined> {
  const isEmpty = draft.text.trim() === "" && draft.attachments.length === 0;
  if (isEmpty && !session.state.messages.some(({ role }) => role === "user"))
    return refuse(vscode.l10n.t("Enter a message first. The selected models will answer it side by side."));
  const models = await loadModels(catalog);
  const chosen = models.length === 0 ? undefined : await pickModels(models, session);
  if (chosen === undefined || chosen.length > 1) return chosen;
  return refuse(vscode.l10n.t("Choose at least two models to compare."));
}

/** Those of the last comparison are chosen already, else the conversation's own. */
async function pickModels(
  models: readonly Model[],
  session: ChatSession,
): Promise<readonly string[] | undefined> {
  const before = session.state.comparison.flatMap((id) => session.state.find(id)?.model ?? []);
  const chosen = before.length > 0 ? before : [session.state.model];
  const items = models.map(({ id, name }) => ({
    label: noIcons(id),
    id,
    description: name === undefined || name === id ? "" : name,
    picked: chosen.includes(id),
  }));
  const picked = await showQuickPick(items, {
    canPickMany: true,
    title: vscode.l10n.t("Compare Models"),
    placeHolder: vscode.l10n.t("Select models to compare"),
    matchOnDescription: true,
  });
  return picked?.map(({ id }) => id);
}

function refuse(sentence: string): undefined {
  void showInformationMessage(sentence);
}
