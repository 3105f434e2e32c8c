import type { JsonTree } from "./jsonTree.ts";

/** What the JSON tree bundle brings: a view of a value, whose parts are copied by `copy`. */
export type CreateJsonTree = (value: unknown, copy: (value: unknown) => void) => JsonTree;

/** The JSON tree bundle hands its function over in an event of this name, as `detail`. */
export const jsonTreeEvent = "inference-gateway-json-tree";

declare global {
  interface DocumentEventMap {
    readonly [jsonTreeEvent]: CustomEvent<CreateJsonTree>;
  }
}
