import type { ErrorFacts } from "../kernel/errors.ts";
import type { CatalogState } from "../conversation/modelCatalog.ts";
import type { ModelPicker } from "./protocol.ts";

/** The picker of one conversation: its own model if it has one, else the one used last, else the first. */
export function modelPicker(
  catalog: CatalogState,
  conversationModel: string | undefined,
  lastModel: string | undefined,
  isSetUp: boolean,
): ModelPicker {
  const loading = isSetUp ? "loading" : "notSetUp";
  const state = catalog.state === "idle" ? loading : catalog.state;
  const selected = conversationModel ?? defaultModel(catalog, lastModel);
  return {
    state,
    models: catalog.models,
    ...(selected === undefined ? {} : { selected }),
    ...(catalog.state === "failed" ? { error: catalog.error } : {}),
  };
}

/** The catalog with the names that the user has typed behind what the service offers: not every service lists its models. */
export function withTypedModels(catalog: CatalogState, typed: readonly string[]): CatalogState {
  const others = typed.filter((name) => catalog.models.every(({ id }) => id !== name));
  return others.length === 0
    ? catalog
    : { ...catalog, models: [...catalog.models, ...others.map((id) => ({ id }))] };
}

/** Whether the failure says that the service has no list of models, and not that anything is wrong. */
export function hasNoModelList({ statusCode }: Pick<ErrorFacts, "statusCode">): boolean {
  return statusCode === 404 || statusCode === 405 || statusCode === 501;
}

/** UTF-16 units. */
const longestModelName = 500;

/** A model's name as the user has typed it; undefined for what can't be one. */
export function readModelName(text: string): string | undefined {
  const name = text.trim();
  return name === "" || name.length > longestModelName || /[\p{Cc}\p{Cf}]/u.test(name) ? undefined : name;
}

/** The model of a conversation that has none yet. There is no built-in default: the list decides. */
export function defaultModel(catalog: CatalogState, lastModel: string | undefined): string | undefined {
  const isOffered = catalog.models.some((model) => model.id === lastModel);
  return isOffered ? lastModel : catalog.models[0]?.id;
}
