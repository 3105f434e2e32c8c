/** A demo model's behavior. The model names make it clear, so that a demo isn't mistaken for a real response. */
type Behavior = "servers" | "echo" | "reasoning" | "tools" | "json" | "extra";

/** A model of the local gateway, and what it demonstrates. */
export interface DemoModel {
  readonly id: string;
  readonly behavior: Behavior;
  readonly supportsImages: boolean;
  readonly supportsAudio: boolean;
  /** In tokens. */
  readonly contextLength: number;
}

/** A model with the properties that most of them have. */
export function createModel(
  id: string,
  behavior: Behavior,
  modalities: { supportsImages?: boolean; supportsAudio?: boolean } = {},
): DemoModel {
  return {
    id,
    behavior,
    supportsImages: modalities.supportsImages ?? false,
    supportsAudio: modalities.supportsAudio ?? false,
    contextLength: 131_072,
  };
}

/** The first one is the default for new chats. */
export const demoModels: readonly DemoModel[] = [
  createModel("demo-lab/server-guide", "servers", { supportsImages: true }),
  createModel("demo-lab/echo-omni", "echo", { supportsImages: true, supportsAudio: true }),
  createModel("demo-lab/slow-thinker", "reasoning", { supportsImages: true }),
  createModel("demo-lab/tool-caller", "tools"),
  createModel("demo-lab/json-writer", "json"),
];

/** `GET /v1/models`: the chat models. */
export function modelList(models: readonly DemoModel[]): unknown {
  return { object: "list", data: models.map(modelEntry) };
}

/** A model as it appears in the list, with its capabilities. */
function modelEntry({ id, contextLength, supportsImages, supportsAudio }: DemoModel): unknown {
  return {
    ...{ id, object: "model", created: 1_700_000_000, owned_by: id.split("/")[0] },
    context_length: contextLength,
    input_modalities: ["text", ...(supportsImages ? ["image"] : []), ...(supportsAudio ? ["audio"] : [])],
    output_modalities: ["text"],
  };
}
