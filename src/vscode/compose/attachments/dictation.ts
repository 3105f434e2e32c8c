import * as vscode from "vscode";
import { transcribe, transcriptionRequest } from "../../../core/compose/attachments/transcribe.ts";
import type { AudioPart, CompletionPort } from "../../../core/conversation/completion.ts";
import { isRecord, stringField } from "../../../core/kernel/json.ts";
import type { ChatModels } from "../../conversation/chatModels.ts";
import { showConfirmation } from "../../shell/window.ts";

const modelsKey = "inferenceGateway.dictationModels";

interface DictationContext {
  readonly globalState: vscode.Memento;
  readonly models: Pick<ChatModels, "choose" | "profileName">;
  /** The port for requests about this conversation. */
  completions(conversationId: string): CompletionPort;
}

/** Turns recordings into text with a model that supports audio, which the user chooses once per profile. */
export class Dictation {
  readonly #context: DictationContext;

  constructor(context: DictationContext) {
    this.#context = context;
  }

  /**
   * Resolves to undefined if the user cancels; rejects with a ServiceError. The request appears among the other
   * requests of the conversation.
   */
  async transcribe(
    conversationId: string,
    audio: AudioPart,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const model = this.#model ?? (await this.#choose());
    if (model === undefined || signal.aborted) return undefined;
    const completions = this.#context.completions(conversationId);
    const { transcript, stop } = transcribe(completions, transcriptionRequest(model, audio));
    signal.addEventListener("abort", stop);
    return await transcript;
  }

  /** Lets the user choose a different model. */
  async selectModel(): Promise<void> {
    const model = await this.#choose();
    if (model !== undefined) showConfirmation(vscode.l10n.t("Recordings are transcribed by {0}.", model));
  }

  get #model(): string | undefined {
    const chosen: unknown = this.#context.globalState.get(modelsKey);
    return isRecord(chosen) ? stringField(chosen, this.#context.models.profileName) : undefined;
  }

  async #choose(): Promise<string | undefined> {
    const { globalState, models } = this.#context;
    const { profileName } = models;
    const purpose = vscode.l10n.t("Model that transcribes recordings");
    const model = await models.choose(purpose, ["audio"], this.#model);
    if (model === undefined) return undefined;
    const chosen: unknown = globalState.get(modelsKey);
    await globalState.update(modelsKey, { ...(isRecord(chosen) ? chosen : {}), [profileName]: model });
    return model;
  }
}
