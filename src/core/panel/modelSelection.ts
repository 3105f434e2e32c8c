import type { ErrorFacts } from "../kernel/errors.ts";
import type { CatalogState } from "../conversation/modelCatalog.ts";
import type { ModelPicker } from "./protocol.ts";

/**
 * The model picker of a conversation. Selects its own model if it has one, otherwise the one last used, otherwise the
 * first.
 */
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

/**
 * The catalog with the names that the user has typed after the models that the service offers, because not every
 * service lists its models.
 */
export function withTypedModels(catalog: CatalogState, typed: readonly string[]): CatalogState {
  const others = typed.filter((name) => catalog.models.every(({ id }) => id !== name));
  return others.length === 0
    ? catalog
    : { ...catalog, models: [...catalog.models, ...others.map((id) => ({ id }))] };
}

/** Whether the failure means that the service has no model list, rather than that something is wrong. */
export function hasNoModelList({ statusCode }: Pick<ErrorFacts, "statusCode">): boolean {
  return statusCode === 404 || statusCode === 405 || statusCode === 501;
}

/** UTF-16 units. */
const longestModelName = 500;

/** A model name typed by the user; undefined if it isn't valid. */
export function readModelName(text: string): string | undefined {
  const name = text.trim();
  return name === "" || name.length > longestModelName || /[\p{Cc}\p{Cf}]/u.test(name) ? undefined : name;
}

/** The model for a conversation that doesn't have one yet. There is no built-in default: the list decides. */
export function defaultModel(catalog: CatalogState, lastModel: string | undefined): string | undefined {
  const isOffered = catalog.models.some((model) => model.id === lastModel);
  return isOffered ? lastModel : catalog.models[0]?.id;
}
