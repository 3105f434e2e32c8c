import type { FinishedPart } from "./finishedPart.ts";
import type { Mounted } from "./mounted.ts";
import type { OpenBlockKind } from "./openBlock.ts";

/** An open block whose first parts are finished; see `openBlock.ts`. */
export interface GrowingBlock<Node> {
  readonly kind: OpenBlockKind;
  readonly prefix: string;
  /** Whether the finished parts were rendered as those of a loose list. */
  readonly isLoose: boolean;
  /** Its children are the parts that still change, behind the finished ones. */
  readonly container: Mounted<Node>;
  /** The text of the finished parts, for the rare case that they must be rendered again. */
  readonly sources: string[];
  readonly parts: FinishedPart<Node>[];
  emptyCells: number;
}

/** The mounted element that holds the parts. */
export function containerOf<Node>(block: Mounted<Node>, path: readonly number[]): Mounted<Node> | undefined {
  let mounted: Mounted<Node> | undefined = block;
  for (const index of path) mounted = mounted?.children[index];
  return mounted;
}
