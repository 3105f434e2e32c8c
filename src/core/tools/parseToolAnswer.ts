import { stringField } from "../json.ts";
import type { ToolAnswer } from "./liveCalls.ts";

/** The user's word on a tool call that waits for it. */
export interface ToolAnswerMessage {
  readonly type: "toolAnswer";
  readonly messageId: string;
  readonly callId: string;
  readonly answer: ToolAnswer;
}

const answers: readonly ToolAnswer[] = ["once", "conversation", "always", "decline"];

/** Checks what the page says of a call; undefined for anything that isn't an answer. */
export function parseToolAnswer(record: Readonly<Record<string, unknown>>): ToolAnswerMessage | undefined {
  const messageId = stringField(record, "messageId");
  const callId = stringField(record, "callId");
  const answer = answers.find((known) => known === record["answer"]);
  if (messageId === undefined || callId === undefined || answer === undefined) return undefined;
  return { type: "toolAnswer", messageId, callId, answer };
}
