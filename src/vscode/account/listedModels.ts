import type * as vscode from "vscode";
import type { Profile } from "../../core/account/profile.ts";
import type { Model } from "../../core/conversation/completion.ts";
import { parseCapabilityTable } from "../../core/conversation/modelCatalog.ts";
import { parsePrices } from "../../core/conversation/prices.ts";
import { isRecord, stringField } from "../../core/kernel/json.ts";

const key = "inferenceGateway.listedModels";
/** Number of models remembered per profile. */
const mostModels = 1_000;

/** What a list of models belongs to. */
type Lister = Pick<Profile, "name" | "inferenceBaseUrl">;

/** The models that the profile's server listed last. Undefined if they are from another address, or unknown. */
export function listedModels(
  state: vscode.Memento,
  { name, inferenceBaseUrl }: Lister,
): readonly Model[] | undefined {
  const byProfile: unknown = state.get(key);
  const list: unknown = isRecord(byProfile) ? byProfile[name] : undefined;
  if (!isRecord(list) || list["baseUrl"] !== inferenceBaseUrl) return undefined;
  return Array.isArray(list["models"]) ? list["models"].flatMap(parseModel) : undefined;
}

/** Remembers what a server has listed, for all windows. */
export async function rememberListed(
  state: vscode.Memento,
  { name, inferenceBaseUrl }: Lister,
  models: readonly Model[],
): Promise<void> {
  const byProfile: unknown = state.get(key);
  const list = { baseUrl: inferenceBaseUrl, models: models.slice(0, mostModels) };
  if (isRecord(byProfile) && JSON.stringify(byProfile[name]) === JSON.stringify(list)) return;
  await state.update(key, { ...(isRecord(byProfile) ? byProfile : {}), [name]: list });
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
