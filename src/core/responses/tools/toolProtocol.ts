import { stringField } from "../../kernel/json.ts";
import type { LiveCall, ToolDecision } from "./liveCalls.ts";

/** The user's decision on a tool call that waits for it. */
export interface ToolDecisionMessage {
  readonly type: "toolAnswer";
  readonly messageId: string;
  readonly callId: string;
  readonly answer: ToolDecision;
}

/** The user wants to see all of the arguments that were truncated on the page. */
export interface ToolArgumentsMessage {
  readonly type: "openToolArguments";
  readonly messageId: string;
  readonly callId: string;
}

/** Page to host: messages about one tool call. */
export type ToolMessage = ToolDecisionMessage | ToolArgumentsMessage;

const answers: readonly ToolDecision[] = ["once", "conversation", "always", "decline"];

/** Validates the page's message about a call; undefined for anything else. */
export function parseToolMessage(record: Readonly<Record<string, unknown>>): ToolMessage | undefined {
  const messageId = stringField(record, "messageId");
  const callId = stringField(record, "callId");
  if (messageId === undefined || callId === undefined) return undefined;
  if (record["type"] === "openToolArguments") return { type: "openToolArguments", messageId, callId };
  const answer = answers.find((known) => known === record["answer"]);
  if (record["type"] !== "toolAnswer" || answer === undefined) return undefined;
  return { type: "toolAnswer", messageId, callId, answer };
}

/** What a page shows about the tools besides the messages. */
export interface ToolsView {
  /** The calls that are waiting for the user or running. */
  readonly calls: readonly LiveCall[];
  /** The response whose calls were not run because there were too many rounds, and the maximum number of rounds. */
  readonly limit?: { readonly messageId: string; readonly rounds: number };
}
