import type { Message } from "./conversation.ts";
import type { MessageDelta } from "./conversationStore.ts";
import type { MessageTree } from "./messageTree.ts";
import type { SessionEvent } from "./sessionEvent.ts";

/** Whether somebody still writes the message. */
export function isGrowing({ status }: Message): boolean {
  return status === "streaming";
}

/**
 * Takes what another window has stored into the tree, and returns what listeners are to be told of it. New turns are
 * followed where the path ends with what they answer; elsewhere they are versions that the user can turn to.
 *
 * @param isOurs Whether a message grows here, so that nothing stored is newer.
 */
export function takeInStored(
  tree: MessageTree,
  stored: readonly Message[],
  isOurs: (messageId: string) => boolean,
): readonly SessionEvent[] {
  return stored.flatMap((message): readonly SessionEvent[] => {
    if (isOurs(message.id)) return [];
    const known = tree.find(message.id);
    if (known === undefined) return takeInNew(tree, message);
    if (isSame(known, message)) return [];
    tree.replace(message);
    return changeOf(known, message);
  });
}

function takeInNew(tree: MessageTree, message: Message): readonly SessionEvent[] {
  const isNext = tree.path.at(-1)?.id === message.parentId && tree.comparison.length === 0;
  if (isNext) tree.add(message);
  else tree.addAside(message);
  return [isNext ? { type: "messageAdded", message } : { type: "path" }];
}

function changeOf(known: Message, message: Message): readonly SessionEvent[] {
  const isLonger = message.text.startsWith(known.text) && message.reasoning.startsWith(known.reasoning);
  // One that was settled and goes on all the same, or says something else now.
  if (!isGrowing(known) || !isLonger) return [{ type: "messageReplaced", message }];
  const delta: MessageDelta = {
    text: message.text.slice(known.text.length),
    reasoning: message.reasoning.slice(known.reasoning.length),
  };
  const hasGrown = delta.text !== "" || delta.reasoning !== "";
  return [
    ...(hasGrown ? [{ type: "delta", messageId: message.id, delta } as const] : []),
    ...(isGrowing(message) && message.model === known.model
      ? []
      : [{ type: "messageChanged", message } as const]),
  ];
}

function isSame(left: Message, right: Message): boolean {
  return (
    left.text === right.text &&
    left.reasoning === right.reasoning &&
    left.status === right.status &&
    left.model === right.model &&
    left.finishReason === right.finishReason &&
    left.error?.message === right.error?.message &&
    left.toolCalls.length === right.toolCalls.length &&
    left.toolCalls.every(({ id, arguments: written }, index) => {
      const other = right.toolCalls[index];
      return other?.id === id && other.arguments === written;
    })
  );
}
