import * as vscode from "vscode";
import { isRecord, stringField, stringsIn } from "../../core/kernel/json.ts";

const key = "inferenceGateway.lastModels";
const typedKey = "inferenceGateway.typedModels";
/** Number of names remembered per profile. The oldest is dropped first. */
const mostTyped = 10;

/** The last model used with each profile, which new conversations start with. */
export class ModelMemory {
  readonly #state: vscode.Memento;
  readonly #first = new Map<string, string>();
  readonly #onDidChange = new vscode.EventEmitter<void>();
  #ofActiveChat: () => string | undefined = () => undefined;

  /** Fires when another model is used, or another chat. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  read(profileName: string): string | undefined {
    const models: unknown = this.#state.get(key);
    return (isRecord(models) ? stringField(models, profileName) : undefined) ?? this.#first.get(profileName);
  }

  /** The model of the active chat, which the window shows. Undefined if there is no chat. */
  get ofActiveChat(): string | undefined {
    return this.#ofActiveChat();
  }

  /** Reads the model of the active chat from here from now on, and whenever another chat becomes active. */
  followChats(
    ofActiveChat: () => string | undefined,
    onDidChangeActive: vscode.Event<void>,
  ): vscode.Disposable {
    this.#ofActiveChat = ofActiveChat;
    return onDidChangeActive(() => this.#onDidChange.fire());
  }

  /** The model that conversations start with until one has been used with the profile. It isn't remembered. */
  beginWith(profileName: string, model: string | undefined): void {
    if (model === undefined || this.read(profileName) === model) return;
    this.#first.set(profileName, model);
    this.#onDidChange.fire();
  }

  /** The model names that the user has typed for the profile, latest first. */
  typed(profileName: string): readonly string[] {
    const byProfile: unknown = this.#state.get(typedKey);
    const names: unknown = isRecord(byProfile) ? byProfile[profileName] : undefined;
    return stringsIn(names);
  }

  async rememberTyped(profileName: string, model: string): Promise<void> {
    const byProfile: unknown = this.#state.get(typedKey);
    const names = [model, ...this.typed(profileName).filter((name) => name !== model)].slice(0, mostTyped);
    await this.#state.update(typedKey, { ...(isRecord(byProfile) ? byProfile : {}), [profileName]: names });
  }

  async remember(profileName: string, model: string): Promise<void> {
    const models: unknown = this.#state.get(key);
    await this.#state.update(key, { ...(isRecord(models) ? models : {}), [profileName]: model });
    this.#onDidChange.fire();
  }
}
