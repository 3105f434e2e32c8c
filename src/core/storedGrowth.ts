import type { Message } from "./conversation.ts";
import { isGrowing, takeInGrown } from "./grownMessages.ts";
import type { MessageTree } from "./messageTree.ts";
import type { SessionEvent } from "./sessionEvent.ts";

/** Milliseconds between two looks at what another window has written. */
const followMs = 1_000;

export interface GrowthSource {
  readonly tree: MessageTree;
  /** Whether the message grows here, so that nothing stored is newer. */
  isOurs(message: Message): boolean;
  load(): readonly Message[];
  emit(event: SessionEvent): void;
  reportError(error: unknown): void;
  /** Runs a function once after so many milliseconds; returns its cancellation. */
  schedule(run: () => void, ms: number): () => void;
}

/**
 * An answer may come in through another window, or through the extension host that VS Code is just replacing: what
 * that one writes is taken in until the answer has its final form. Returns the function that ends it.
 */
export function followStoredGrowth(source: GrowthSource): () => void {
  let cancel = (): void => undefined;
  const isForeign = (message: Message): boolean => isGrowing(message) && !source.isOurs(message);
  const follow = (): void => {
    if (source.tree.all.some(isForeign)) cancel = source.schedule(look, followMs);
  };
  const look = (): void => {
    try {
      const { messages, events } = takeInGrown(source.tree.all.filter(isForeign), source.load());
      for (const message of messages) source.tree.replace(message);
      for (const event of events) source.emit(event);
      follow();
    } catch (error) {
      source.reportError(error);
    }
  };
  follow();
  return () => cancel();
}
