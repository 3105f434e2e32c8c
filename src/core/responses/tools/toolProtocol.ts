import { stringField } from "../../kernel/json.ts";
import type { LiveCall, ToolDecision } from "./liveCalls.ts";

/** The user's word on a tool call that waits for it. */
export interface ToolDecisionMessage {
  readonly type: "toolAnswer";
  readonly messageId: string;
  readonly callId: string;
  readonly answer: ToolDecision;
}

/** The user wants to see arguments that were cut on the page, whole. */
export interface ToolArgumentsMessage {
  readonly type: "openToolArguments";
  readonly messageId: string;
  readonly callId: string;
}

/** Page to host: what concerns one call of a tool. */
export type ToolMessage = ToolDecisionMessage | ToolArgumentsMessage;

const answers: readonly ToolDecision[] = ["once", "conversation", "always", "decline"];

/** Checks what the page says of a call; undefined for anything else. */
export function parseToolMessage(record: Readonly<Record<string, unknown>>): ToolMessage | undefined {
  const messageId = stringField(record, "messageId");
  const callId = stringField(record, "callId");
  if (messageId === undefined || callId === undefined) return undefined;
  if (record["type"] === "openToolArguments") return { type: "openToolArguments", messageId, callId };
  const answer = answers.find((known) => known === record["answer"]);
  if (record["type"] !== "toolAnswer" || answer === undefined) return undefined;
  return { type: "toolAnswer", messageId, callId, answer };
}

/** What a page shows of the tools beside the messages. */
export interface ToolsView {
  /** The calls that wait for the user, or run. */
  readonly calls: readonly LiveCall[];
  /** The response whose calls were not run because there had been too many rounds, and how many are allowed. */
  readonly limit?: { readonly messageId: string; readonly rounds: number };
}
