/** Whether a position in a Markdown text is inside code. */
export interface CodeState {
  readonly isInFence: boolean;
  readonly isInCode: boolean;
}

const fence = "```";

/**
 * The state after a part of the text. A line end ends code in backticks. Three backticks start or end a fence, whatever
 * is in it, and must not be split between two parts.
 */
export function passCode({ isInFence, isInCode }: CodeState, part: string): CodeState {
  // Searching for the first one is many times faster than for the last one, which many long texts don't have.
  const hasLineEnd = part.includes("\n");
  if (!part.includes("`")) return { isInFence, isInCode: isInCode && !hasLineEnd };
  // Only fences matter before the last line, and there are few of them.
  const lastLine = hasLineEnd ? part.lastIndexOf("\n") + 1 : 0;
  let isStillInFence = isInFence;
  let at = 0;
  for (let tick = part.indexOf(fence); tick !== -1 && tick < lastLine; tick = part.indexOf(fence, at)) {
    isStillInFence = !isStillInFence;
    at = tick + fence.length;
  }
  return passLine({ isInFence: isStillInFence, isInCode: isInCode && lastLine === 0 }, part, lastLine);
}

function passLine({ isInFence, isInCode }: CodeState, part: string, start: number): CodeState {
  let at = start;
  for (let tick = part.indexOf("`", at); tick !== -1; tick = part.indexOf("`", at)) {
    const isFence = part.startsWith(fence, tick);
    if (isFence) isInFence = !isInFence;
    else if (!isInFence) isInCode = !isInCode;
    at = tick + (isFence ? fence.length : 1);
  }
  return { isInFence, isInCode };
}
