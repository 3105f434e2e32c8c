import * as vscode from "vscode";
import type { Profile } from "../../core/account/profile.ts";
import type { Model } from "../../core/conversation/completion.ts";
import { parseCapabilityTable } from "../../core/conversation/modelCatalog.ts";
import { parsePrices } from "../../core/conversation/prices.ts";
import { isRecord, stringField, stringsIn } from "../../core/kernel/json.ts";

const key = "inferenceGateway.lastModels";
const typedKey = "inferenceGateway.typedModels";
const listedKey = "inferenceGateway.listedModels";
/** Number of models remembered per profile. */
const mostListed = 1_000;
/** Number of names remembered per profile. The oldest is dropped first. */
const mostTyped = 10;

/** What a list of models belongs to. */
type Lister = Pick<Profile, "name" | "inferenceBaseUrl">;

/** The models of each profile: the last one used, which new conversations start with, those typed, and those listed. */
export class ModelMemory {
  readonly #state: vscode.Memento;
  readonly #first = new Map<string, string>();
  readonly #onDidChange = new vscode.EventEmitter<void>();

  /** Fires when another model is used. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  read(profileName: string): string | undefined {
    const models: unknown = this.#state.get(key);
    return (isRecord(models) ? stringField(models, profileName) : undefined) ?? this.#first.get(profileName);
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

  /** The models that the profile's server listed last. Undefined if they are from another address, or unknown. */
  listed({ name, inferenceBaseUrl }: Lister): readonly Model[] | undefined {
    const byProfile: unknown = this.#state.get(listedKey);
    const list: unknown = isRecord(byProfile) ? byProfile[name] : undefined;
    if (!isRecord(list) || list["baseUrl"] !== inferenceBaseUrl) return undefined;
    return Array.isArray(list["models"]) ? list["models"].flatMap(parseModel) : undefined;
  }

  async rememberListed({ name, inferenceBaseUrl }: Lister, models: readonly Model[]): Promise<void> {
    const byProfile: unknown = this.#state.get(listedKey);
    const list = { baseUrl: inferenceBaseUrl, models: models.slice(0, mostListed) };
    if (isRecord(byProfile) && JSON.stringify(byProfile[name]) === JSON.stringify(list)) return;
    await this.#state.update(listedKey, { ...(isRecord(byProfile) ? byProfile : {}), [name]: list });
  }
}

function parseModel(value: unknown): readonly Model[] {
  if (!isRecord(value)) return [];
  const [id, name, contextLength] = [
    stringField(value, "id"),
    stringField(value, "name"),
    value["contextLength"],
  ];
  if (id === undefined) return [];
  const { [id]: capabilities = {} } = parseCapabilityTable({
    [id]: {
      vision: value["supportsImages"],
      audio: value["supportsAudio"],
      tools: value["supportsTools"],
      reasoning: value["supportsReasoning"],
      maxOutputTokens: value["maxOutputTokens"],
      contextLength,
    },
  });
  const { [id]: price } = isRecord(value["price"]) ? parsePrices({ [id]: value["price"] }) : {};
  return [
    {
      id,
      ...(name === undefined ? {} : { name }),
      ...capabilities,
      ...(price === undefined ? {} : { price }),
    },
  ];
}
