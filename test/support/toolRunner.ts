// A separate process that runs a tool and kills itself at the specified point, so that nothing can be completed.
import { appendFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ChatSession } from "../../src/core/conversation/chatSession.ts";
import type { ToolPort } from "../../src/core/conversation/toolPort.ts";
import { LiveCalls } from "../../src/core/responses/tools/liveCalls.ts";
import { ToolBox } from "../../src/core/responses/tools/toolBox.ts";
import { ToolPermissions } from "../../src/core/responses/tools/toolPermissions.ts";
import { SqliteConversationStore } from "../../src/storage/conversations/conversationStore.ts";
import { PermissionTable } from "../../src/storage/records/permissionTable.ts";
import { openRecords } from "./recordsFolder.ts";
import { ScriptedCompletions } from "./scriptedCompletions.ts";

const [file = "", point = "", effects = ""] = process.argv.slice(2);

function reached(place: string): void {
  if (place === point) process.kill(process.pid, "SIGKILL");
}

const store = new SqliteConversationStore(file, {
  now: () => Date.now(),
  onProblem: (sentence) => process.stderr.write(`${sentence}\n`),
});
const live = new LiveCalls();
const box = new ToolBox({
  tools: {
    list: () => [{ name: "charge", description: "", inputSchema: undefined }],
    identify: (name) => ({ name, provider: "", fingerprint: "1" }),
    invoke: () => {
      appendFileSync(effects, "charged\n");
      reached("invoked");
      return {
        result: Promise.resolve({ content: [{ value: "charged" }], isError: false }),
        stop: () => undefined,
      };
    },
    isInWorkspace: () => Promise.resolve(false),
  },
  validator: { validate: () => Promise.resolve({ state: "valid" }) },
  permissions: new ToolPermissions({
    store: new PermissionTable(openRecords(join(dirname(file), "records.db"))),
    workspace: () => "",
  }),
  live,
  now: () => performance.now(),
  encodeBase64: () => "",
  reportError: (error) => process.stderr.write(`${String(error)}\n`),
});
const tools: ToolPort = {
  definitions: (names) => box.definitions(names),
  run(call, caller) {
    const run = box.run(call, caller);
    return { ...run, result: run.result.finally(() => reached("returned")) };
  },
};
live.onDidChange((id) => {
  for (const { state, messageId, callId } of live.of(id)) {
    reached(state);
    if (state === "confirming") live.answer(id, messageId, callId, "always");
  }
});
const completions = new ScriptedCompletions();
let ids = 0;
const session = new ChatSession(
  {
    ...{ id: "c1", title: "T", createdAt: 1, updatedAt: 1, model: "lab/tools" },
    ...{ settings: { tools: ["charge"] }, messages: [] },
  },
  {
    ...{ completions, tools, store, now: () => Date.now(), createId: () => `m${++ids}` },
    defaultModel: () => Promise.resolve("lab/tools"),
    reportError: (error) => process.stderr.write(`${String(error)}\n`),
  },
);
session.subscribe((event) => {
  if (event.type !== "messageAdded" && event.type !== "messageChanged") return;
  if (event.message.role === "tool") reached(`shown ${event.message.status}`);
});
session.send("Charge me.");
const run = await completions.next();
run.emit({ type: "toolCall", index: 0, id: "call", name: "charge", arguments: "{}" });
run.emit({ type: "finish", reason: "tool_calls" });
run.end();
await completions.next();
reached("told");
throw new Error(`${point} was never reached`);
