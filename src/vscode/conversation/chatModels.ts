import * as vscode from "vscode";
import { stringsIn } from "../../core/kernel/json.ts";
import { adaptationLabel } from "../../core/conversation/adaptations.ts";
import type {
  Adaptation,
  AdaptedModel,
  Adaptations,
  LearnedAdaptation,
} from "../../core/conversation/adaptations.ts";
import type { Modality, Model } from "../../core/conversation/completion.ts";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { Draft } from "../../core/conversation/conversationStore.ts";
import { ModelCatalog, applyCapabilities, withLearnedInputs } from "../../core/conversation/modelCatalog.ts";
import type { CatalogState } from "../../core/conversation/modelCatalog.ts";
import { ServiceError, logFailure } from "../../core/kernel/errors.ts";
import type { Log } from "../../core/kernel/log.ts";
import { escapeCodicons } from "../../core/kernel/foreignText.ts";
import {
  defaultModel,
  hasNoModelList,
  modelPicker,
  withTypedModels,
} from "../../core/panel/modelSelection.ts";
import type { ModelPicker } from "../../core/panel/protocol.ts";
import type { LocalGatewayControl } from "../../core/account/localGateway/localGatewayControl.ts";
import type { SecretVault } from "../../core/account/secretVault.ts";
import type { ModelMemory } from "../account/modelMemory.ts";
import type { Profiles } from "../account/profiles/profiles.ts";
import type { Clients } from "../shell/clientFactory.ts";
import { storedAdaptations } from "../shell/configuredClients.ts";
import { showConfirmation, showInformationMessage, showQuickPick } from "../shell/window.ts";
import { chatSettings } from "./chatSettings.ts";
import {
  askOtherModel,
  describeModel,
  enterModel,
  enterModelItem,
  loadModels,
  pickModel,
  pickerTitle,
  selectModel,
} from "./selectModel.ts";
import type { ModelSource } from "./selectModel.ts";
import { SetupWatch, requireInferenceProfile } from "./setupWatch.ts";

/** What is needed to list, choose, and use the models of the profile in use. */
export interface ChatModelsContext {
  readonly log: Log;
  readonly profiles: Profiles;
  readonly clients: Clients;
  readonly vault: SecretVault;
  readonly gateway: LocalGatewayControl;
  readonly globalState: vscode.Memento;
  readonly workspaceState: vscode.Memento;
  /** Which model was used last. */
  readonly models: ModelMemory;
}

/** The views that show the models. */
interface ModelViewers {
  /** Whether the models are visible. The models of a new profile are only requested if they are. */
  isThere(): boolean;
  update(): void;
}

/** The models of the active profile, and the default model for new conversations. */
export class ChatModels implements ModelSource, vscode.Disposable {
  readonly catalog: ModelCatalog;
  /** What is missing before anything can be sent. */
  readonly setup: SetupWatch;
  readonly #context: ChatModelsContext;
  readonly #viewers: ModelViewers;
  readonly #adaptations: Adaptations;
  readonly #disposable: vscode.Disposable;

  constructor(context: ChatModelsContext, viewers: ModelViewers) {
    this.#context = context;
    this.#viewers = viewers;
    this.#adaptations = storedAdaptations(context.globalState);
    this.setup = new SetupWatch(context.profiles, context.vault, context.gateway);
    this.catalog = new ModelCatalog(() => {
      const abort = new AbortController();
      return { models: this.#list(abort.signal), stop: () => abort.abort() };
    });
    this.#disposable = vscode.Disposable.from(
      { dispose: this.catalog.onDidChange(() => this.#onDidChange()) },
      this.catalog,
      this.setup,
      this.setup.onDidChange(() => this.#begin()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        const isHandled = change.affectsConfiguration("inferenceGateway.models.capabilities");
        if (isHandled && this.catalog.current.state !== "idle") void this.catalog.refresh();
      }),
    );
  }

  picker(session: ChatSession): ModelPicker {
    const isSetUp = this.setup.notice === undefined;
    return modelPicker(this.#known(this.catalog.current), session.state.model, this.#last, isSetUp);
  }

  /** The model for a conversation that doesn't have one yet. Rejects with a ServiceError if no model is available. */
  async chooseDefault(): Promise<string> {
    const state = this.#known(await this.catalog.ensure());
    const model = defaultModel(state, this.#last);
    if (model !== undefined) return model;
    const isFailure = state.state === "failed" && !hasNoModelList(state.error);
    throw new ServiceError(isFailure ? state.error : noModels());
  }

  /** Asks for a conversation's model, listing those that support these modalities first. */
  pick(session: ChatSession, modalities: readonly Modality[] = []): Promise<void> {
    return selectModel(session, this, modalities);
  }

  /** Asks for a model for another purpose. */
  async choose(purpose: string, selected: string | undefined): Promise<string | undefined> {
    return await pickModel(await loadModels(this), selected, this, [], purpose);
  }

  /** Asks which models should respond to the draft, or to the user's last message if the draft is empty. */
  async chooseSeveral(session: ChatSession, draft: Draft): Promise<readonly string[] | undefined> {
    const { workspaceState } = this.#context;
    const chosen = await chooseModels(session, draft, this, stringsIn(workspaceState.get(comparedKey)));
    if (chosen !== undefined) await workspaceState.update(comparedKey, chosen);
    return chosen;
  }

  /** Asks for a different model, then requests another version of the response from it. */
  askOther(session: ChatSession, messageId: string): Promise<void> {
    return askOtherModel(session, messageId, this);
  }

  async load(): Promise<CatalogState> {
    return this.#known(await this.catalog.ensure());
  }

  rememberTyped(model: string): void {
    if (this.catalog.current.models.some(({ id }) => id === model)) return;
    void this.#context.models.rememberTyped(this.profileName, model);
    this.#viewers.update();
  }

  learned(model: string): readonly LearnedAdaptation[] {
    return this.#adaptations.of(this.#adapted(model));
  }

  forget(model: string, adaptations: readonly Adaptation[]): void {
    this.#adaptations.forget(this.#adapted(model), adaptations);
    this.#viewers.update();
  }

  /** Forgets at the user's request what the model rejected. */
  retryRejected(model: string, adaptations: readonly Adaptation[]): void {
    this.forget(model, adaptations);
    const what = adaptations.map(adaptationLabel).join(", ");
    showConfirmation(vscode.l10n.t("The next request to {0} includes {1} again.", model, what));
  }

  /** Called when the user or the first response has determined a model: new conversations start with it. */
  use(model: string): void {
    const { profiles, models } = this.#context;
    if (profiles.active !== undefined) void models.remember(profiles.active.name, model);
    // Open new chats show the model that they would start with.
    this.#viewers.update();
  }

  /** Resolves when the setup requirements are known. Starts loading the models. */
  async prepare(): Promise<void> {
    await this.setup.ready();
    if (this.setup.notice === undefined && this.catalog.current.state === "idle") void this.catalog.ensure();
  }

  dispose(): void {
    this.#disposable.dispose();
  }

  /** The name of the active profile; empty if there is none. */
  get profileName(): string {
    return this.#context.profiles.active?.name ?? "";
  }

  /** The profile's default model, or the one last used with it. */
  get #last(): string | undefined {
    const { profiles, models } = this.#context;
    return profiles.active?.defaultModel ?? models.read(this.profileName);
  }

  #adapted(model: string): AdaptedModel {
    const { name = "", inferenceBaseUrl: baseUrl = "" } = this.#context.profiles.active ?? {};
    return { profile: name, baseUrl, model };
  }

  /**
   * The catalog plus the names that the user has typed, here or in the profile, with what the models have been found not
   * to support.
   */
  #known(catalog: CatalogState): CatalogState {
    const { profiles, models } = this.#context;
    const own = profiles.active?.defaultModel;
    const typed = [...(own === undefined ? [] : [own]), ...models.typed(this.profileName)];
    const known = withTypedModels(catalog, typed);
    return {
      ...known,
      models: known.models.map((model) => withLearnedInputs(model, this.learned(model.id))),
    };
  }

  #onDidChange(): void {
    this.#viewers.update();
    const begin = defaultModel(this.#known(this.catalog.current), this.#last);
    this.#context.models.beginWith(this.profileName, begin);
  }

  /** Starts over with another profile or key. */
  #begin(): void {
    this.catalog.reset();
    if (this.setup.notice === undefined && this.#viewers.isThere()) void this.catalog.ensure();
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

const comparedKey = "inferenceGateway.comparedModels";

function noModels() {
  return {
    reason: "notFound",
    message: vscode.l10n.t(
      "The inference service lists no chat models. Enter a model name, or check the profile's base URL.",
    ),
  } as const;
}

/**
 * Asks which models should respond to the draft, or to the user's last message if the draft is empty. Undefined if the
 * user cancels, or if there is nothing to respond to, which is reported.
 */
async function chooseModels(
  session: ChatSession,
  draft: Draft,
  source: ModelSource,
  last: readonly string[],
): Promise<readonly string[] | undefined> {
  const isEmpty = draft.text.trim() === "" && draft.attachments.length === 0;
  if (isEmpty && !session.state.messages.some(({ role }) => role === "user"))
    return refuse(vscode.l10n.t("Enter a message first. The selected models respond side by side."));
  const chosen = await pickModels(await loadModels(source), session, source, last);
  if (chosen === undefined || chosen.length > 1) return chosen;
  return refuse(vscode.l10n.t("Choose at least two models to compare."));
}

/**
 * Preselects the models of the last comparison: in the conversation, in the workspace; otherwise the conversation's
 * own.
 */
async function pickModels(
  offered: CatalogState,
  session: ChatSession,
  source: ModelSource,
  last: readonly string[],
): Promise<readonly string[] | undefined> {
  const before = session.state.comparison.flatMap((id) => session.state.find(id)?.model ?? []);
  const known = last.filter((id) => offered.models.some((model) => model.id === id));
  let chosen: readonly (string | undefined)[] = [before, known].find((ids) => ids.length > 0) ?? [
    session.state.model,
  ];
  let { models } = offered;
  for (;;) {
    const items = models.map((model) => ({
      label: escapeCodicons(model.id),
      id: model.id,
      detail: describeModel(model, source.learned(model.id)),
      picked: chosen.includes(model.id),
    }));
    const picked = await showQuickPick([...items, { ...enterModelItem(), id: undefined }], {
      canPickMany: true,
      title: pickerTitle(vscode.l10n.t("Compare Models"), source),
      placeHolder: vscode.l10n.t("Select models to compare"),
      matchOnDetail: true,
    });
    if (picked === undefined) return undefined;
    const ids = picked.flatMap(({ id }) => id ?? []);
    if (ids.length === picked.length) return ids;
    const entered = await enterModel(source);
    chosen = entered === undefined ? ids : [...ids, entered];
    if (entered !== undefined && models.every(({ id }) => id !== entered))
      models = [...models, { id: entered }];
  }
}

function refuse(sentence: string): undefined {
  void showInformationMessage(sentence);
}
