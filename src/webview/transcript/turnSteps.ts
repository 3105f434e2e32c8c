import type { TurnKind } from "../kit/keyboard/keyboardNavigation.ts";
import type { MessageSlot } from "./messageSlot.ts";
import type { TranscriptWindow } from "./transcriptWindow.ts";

const codeBlocks = ".code > pre";

interface TurnStep {
  readonly kind: TurnKind;
  readonly from: HTMLElement;
  readonly isForward: boolean;
}

/** The next message, user message or code block, starting from an element. If it isn't on the page, it is shown. */
export function stepThrough(
  shown: TranscriptWindow,
  root: HTMLElement,
  step: TurnStep,
): HTMLElement | undefined {
  const { kind, from, isForward } = step;
  const turns = shown.slots.filter(({ role }) => role !== "tool");
  const at = shown.slotAt(from);
  // Responses that are side by side come after all other messages.
  const current = at === undefined ? turns.length : turns.indexOf(at);
  const isRoot = from === root;
  if (kind === "code") return stepThroughCode(shown, turns, { ...step, isRoot, current });
  const isWanted = ({ role }: MessageSlot): boolean => kind === "turn" || role === "user";
  const own = turns[current];
  // From inside a message, moving backward leads to the message itself.
  if (!isRoot && !isForward && own !== undefined && isWanted(own) && from !== own.element)
    return shown.bringIn(own);
  const next = isRoot
    ? isForward
      ? turns.find(isWanted)
      : turns.findLast(isWanted)
    : isForward
      ? turns.slice(current + 1).find(isWanted)
      : turns.slice(0, current).findLast(isWanted);
  return next === undefined ? undefined : shown.bringIn(next);
}

interface CodeStep extends TurnStep {
  readonly isRoot: boolean;
  readonly current: number;
}

function stepThroughCode(
  shown: TranscriptWindow,
  turns: readonly MessageSlot[],
  { from, isForward, isRoot, current }: CodeStep,
): HTMLElement | undefined {
  const ahead = isRoot ? turns : isForward ? turns.slice(current) : turns.slice(0, current + 1);
  for (const slot of isForward ? ahead : ahead.toReversed()) {
    if (slot.element === undefined && !mayHaveCode(slot)) continue;
    const blocks = [...(shown.bringIn(slot)?.querySelectorAll<HTMLElement>(codeBlocks) ?? [])];
    const isAhead = (block: HTMLElement): boolean => {
      const position = from.compareDocumentPosition(block);
      const wanted = isForward ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
      return block !== from && (isRoot || (position & wanted) !== 0);
    };
    const next = isForward ? blocks.find(isAhead) : blocks.findLast(isAhead);
    if (next !== undefined) return next;
  }
  return undefined;
}

/** Whether the text could contain a code block. If the guess is wrong, a message is built unnecessarily. */
function mayHaveCode({ message }: MessageSlot): boolean {
  const text = message?.text ?? "";
  return text.includes("```") || text.includes("~~~") || text.includes("\n    ") || text.includes("\n\t");
}
