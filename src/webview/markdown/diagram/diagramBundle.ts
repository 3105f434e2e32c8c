import type { Diagrammer } from "./diagrammer.ts";

/** What the diagram bundle brings. */
export type CreateDiagrammer = (cspNonce: string) => Diagrammer;

/** The diagram bundle hands its function over in an event of this name, as `detail`. */
export const diagramEvent = "inference-gateway-diagram";

declare global {
  interface DocumentEventMap {
    readonly [diagramEvent]: CustomEvent<CreateDiagrammer>;
  }
}
