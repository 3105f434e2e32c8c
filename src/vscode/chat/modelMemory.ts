import * as vscode from "vscode";
import { isRecord, stringField } from "../../core/json.ts";

const key = "inferenceGateway.lastModels";

/** The model used last with each profile: what a new conversation begins with. */
export class ModelMemory {
  readonly #state: vscode.Memento;
  readonly #onDidChange = new vscode.EventEmitter<void>();

  /** Fires when another model is used. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  read(profileName: string): string | undefined {
    const models: unknown = this.#state.get(key);
    return isRecord(models) ? stringField(models, profileName) : undefined;
  }

  async remember(profileName: string, model: string): Promise<void> {
    const models: unknown = this.#state.get(key);
    await this.#state.update(key, { ...(isRecord(models) ? models : {}), [profileName]: model });
    this.#onDidChange.fire();
  }
}
