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

/** The model of a conversation that has none yet: there is no built-in default, the list decides. */
export function defaultModel(catalog: CatalogState, lastModel: string | undefined): string | undefined {
  const isOffered = catalog.models.some((model) => model.id === lastModel);
  return isOffered ? lastModel : catalog.models[0]?.id;
}
