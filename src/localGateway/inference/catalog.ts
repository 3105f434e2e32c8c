/** A demo model's behavior. The model names make it clear, so that a demo isn't mistaken for a real response. */
type Behavior =
  | "echo"
  | "showcase"
  | "reasoning"
  | "tools"
  | "json"
  | "rateLimit"
  | "brokenStream"
  | "truncation"
  | "silence";

/** A model of the local gateway, and what it demonstrates. */
export interface DemoModel {
  readonly id: string;
  readonly behavior: Behavior;
  readonly supportsImages: boolean;
  readonly supportsAudio: boolean;
  /** In tokens. */
  readonly contextLength: number;
}

function model(
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

/**
 * The first one is the default for new chats because it demonstrates the most. Nine text models, three of which support
 * images and one of those audio (interface section 1).
 */
export const demoModels: readonly DemoModel[] = [
  model("demo-lab/markdown-showcase", "showcase", { supportsImages: true }),
  model("demo-lab/echo-omni", "echo", { supportsImages: true, supportsAudio: true }),
  model("demo-lab/slow-thinker", "reasoning", { supportsImages: true }),
  model("demo-lab/tool-caller", "tools"),
  model("demo-lab/json-writer", "json"),
  model("demo-faults/rate-limited", "rateLimit"),
  model("demo-faults/error-in-mid-stream", "brokenStream"),
  model("demo-faults/truncated-response", "truncation"),
  model("demo-faults/silent-for-ten-minutes", "silence"),
];

/** The demo model with this ID. */
export function findModel(id: string): DemoModel | undefined {
  return demoModels.find((candidate) => candidate.id === id);
}

/** `GET /v1/models`: the chat models. */
export function modelList(): unknown {
  return { object: "list", data: demoModels.map(modelEntry) };
}

/** `GET /v1/models/…`; undefined if there is no such model. */
export function findModelEntry(id: string): unknown {
  const model = findModel(id);
  return model && modelEntry(model);
}

function entryHead(id: string): object {
  return { id, object: "model", created: 1_700_000_000, owned_by: id.split("/")[0] };
}

/** A model as it appears in the list, with its capabilities. */
function modelEntry({ id, contextLength, supportsImages, supportsAudio }: DemoModel): unknown {
  return {
    ...entryHead(id),
    context_length: contextLength,
    input_modalities: ["text", ...(supportsImages ? ["image"] : []), ...(supportsAudio ? ["audio"] : [])],
    output_modalities: ["text"],
  };
}

/** The state that demo models use in addition to the request. */
export interface DemoState {
  readonly seed: number;
  /** How many times the rate-limited model has refused since its last response. */
  refusals: number;
}
