import type { ToolResult } from "./toolPort.ts";

/** What a model reads in place of a tool's result. It is in English regardless of the display language. */
export const toolReplies = {
  stopped: { outcome: "stopped", text: "The user stopped this call." },
  taken: { outcome: "taken", text: "The call runs in another window." },
  declined: { outcome: "declined", text: "The user declined this call." },
  notRepeated: {
    outcome: "declined",
    text: "The call was interrupted earlier and may have run, completely or in part. The user chose not to run it again.",
  },
  withheld: {
    outcome: "declined",
    text: "The tool ran, but the user withholds its result because it contains secrets.",
  },
  interrupted: {
    outcome: "interrupted",
    text: "The call was interrupted because VS Code closed. It may have run completely, in part, or not at all.",
  },
  unrecorded: {
    outcome: "failed",
    text: "The call was not run because its start could not be recorded on disk.",
  },
  changed: { outcome: "failed", text: "The tool has changed since the user was asked. Call it again." },
  notAnObject: {
    outcome: "refused",
    text: "The arguments must be a JSON object. Call the tool again with one.",
  },
  skipped: (maxCalls: number) => ({
    outcome: "skipped",
    text: `This call was not run because at most ${maxCalls} calls are run per response. Call the tool again if you still need its result.`,
  }),
  unknown: (name: string) => ({
    outcome: "unknown",
    text: `There is no tool named “${name}” in this conversation.`,
  }),
  gone: (name: string) => ({ outcome: "unknown", text: `The tool “${name}” is no longer available.` }),
  notJson: (why: string) => ({
    outcome: "refused",
    text: `The arguments are not valid JSON: ${why}. Call the tool again with valid JSON.`,
  }),
  mismatched: (problems: readonly string[]) => ({
    outcome: "refused",
    text: [
      "The arguments do not match the tool's schema. Call it again with these problems fixed:",
      ...problems,
    ].join("\n"),
  }),
  failed: (why: string) => ({ outcome: "failed", text: `The tool failed: ${why}` }),
  notStarted: (why: string) => ({ outcome: "failed", text: `The tool could not be run: ${why}` }),
} as const satisfies Readonly<Record<string, ToolResult | ((...facts: never) => ToolResult)>>;
