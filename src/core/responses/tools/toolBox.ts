import type { ToolCall } from "../../conversation/completion.ts";
import type {
  ToolCallOrigin,
  ToolDefinition,
  ToolPort,
  ToolResult,
  ToolRun,
} from "../../conversation/toolPort.ts";
import { toolReplies } from "../../conversation/toolPort.ts";
import { isJsonObject, isRecord } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { messageOf } from "../../kernel/thrown.ts";
import type { SchemaValidator } from "../structured/responseCheck.ts";
import { describeProblem } from "../structured/problemText.ts";
import { findConcern } from "./callConcern.ts";
import type { LiveCallHandle, LiveCalls } from "./liveCalls.ts";
import { wireNames } from "./toolChoices.ts";
import type { ToolIdentity, ToolPermissions } from "./toolPermissions.ts";
import { isMcpError, toolResultContent } from "./toolResultContent.ts";

/** A tool of the editor. */
interface EditorTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input; undefined for a tool without input. */
  readonly inputSchema: unknown;
}

interface EditorToolResult {
  /** Its parts, of any kind that the editor supports. */
  readonly content: unknown;
  /** Whether the editor knows that the tool failed; the content explains why. */
  readonly isError: boolean;
}

/** One run of an editor tool. */
export interface EditorToolRun {
  /** Rejects if the tool fails without a result. */
  readonly result: Promise<EditorToolResult>;
  stop(): void;
}

/** Port: the editor's tools. */
export interface EditorTools {
  /** The tools that exist now: extensions and MCP servers add and remove them at any time. */
  list(): readonly EditorTool[];
  /** The identity of the tool for permissions; undefined if it no longer exists. */
  identify(name: string): ToolIdentity | undefined;
  /** Runs the tool without asking: the caller has checked the permission and the input. */
  invoke(name: string, input: object): EditorToolRun;
  /** Whether the text is the path of something that exists in the workspace. */
  isInWorkspace(path: string): Promise<boolean>;
}

interface ToolBoxContext {
  readonly tools: EditorTools;
  readonly validator: SchemaValidator;
  readonly permissions: ToolPermissions;
  readonly live: LiveCalls;
  /** Milliseconds since any fixed point in time. */
  now(): number;
  encodeBase64(data: Uint8Array): string;
  /** Logs why a tool failed. */
  reportError(error: unknown): void;
}

/**
 * The editor's tools as used by a conversation: checked, confirmed and run, with every problem reported to the model.
 */
export class ToolBox implements ToolPort {
  readonly #context: ToolBoxContext;

  constructor(context: ToolBoxContext) {
    this.#context = context;
  }

  /** What the model is told about these tools, under names that the interface allows. Unavailable ones are left out. */
  definitions(names: readonly string[]): Promise<readonly ToolDefinition[]> {
    const tools = new Map(this.#context.tools.list().map((tool) => [tool.name, tool]));
    const definitions = [...wireNames(names)].flatMap(([name, original]) => {
      const tool = tools.get(original);
      return tool === undefined
        ? []
        : [{ name, description: tool.description, parameters: parametersOf(tool.inputSchema) }];
    });
    return Promise.resolve(definitions);
  }

  /** Runs the call if it is permitted. The result never rejects: a failure is a result that the model is told about. */
  run(call: ToolCall, caller: ToolCallOrigin): ToolRun {
    const handle = this.#context.live.begin(caller.conversationId, caller.messageId, call.id);
    const state: RunState = { isStopped: false, stop: () => handle.stop() };
    const result = this.#carryOut(call, caller, state, handle).finally(() => handle.end());
    return {
      result,
      stop: () => {
        state.isStopped = true;
        state.stop();
      },
    };
  }

  async #carryOut(
    call: ToolCall,
    caller: ToolCallOrigin,
    state: RunState,
    handle: LiveCallHandle,
  ): Promise<ToolResult> {
    try {
      const name = wireNames(caller.tools).get(call.name);
      const tool = this.#context.tools.list().find((candidate) => candidate.name === name);
      if (tool === undefined) return toolReplies[name === undefined ? "unknown" : "gone"](call.name);
      const input = parseToolInput(call.arguments);
      if (input.state === "refused") return input.reply;
      const mistakes = await this.#findMistakes(tool, input.json);
      if (mistakes !== undefined) return mistakes;
      if (state.isStopped) return toolReplies.stopped;
      const refusal = await this.#askForPermission(tool.name, call.name, input.input, caller, handle);
      if (refusal !== undefined) return refusal;
      if (state.isStopped) return toolReplies.stopped;
      const obstacle = await this.#recordStart(caller, handle);
      if (obstacle !== undefined) return obstacle;
      // Not before now, because a call that is shown as running must be recorded as such on disk.
      handle.run();
      return state.isStopped ? toolReplies.stopped : await this.#invoke(tool, input.input, state);
    } catch (error) {
      this.#context.reportError(error);
      return toolReplies.notStarted(messageOf(error));
    }
  }

  /** VS Code passes any input on to the tool, so the schema is checked here. An unusable schema checks nothing. */
  async #findMistakes({ inputSchema }: EditorTool, json: string): Promise<ToolResult | undefined> {
    if (!isRecord(inputSchema)) return undefined;
    const verdict = await this.#context.validator.validate(inputSchema, json);
    if (verdict.state !== "invalid") return undefined;
    const problems = verdict.problems.map(describeProblem);
    return toolReplies.mismatched(problems.map(({ path, message }) => `${path || "/"}: ${message}`));
  }

  async #askForPermission(
    name: string,
    wireName: string,
    input: Readonly<Record<string, unknown>>,
    { conversationId, mayHaveRun, path, tools: selected }: ToolCallOrigin,
    handle: LiveCallHandle,
  ): Promise<ToolResult | undefined> {
    const { permissions, tools } = this.#context;
    const tool = tools.identify(name);
    if (tool === undefined) return toolReplies.gone(name);
    const definitions = await this.definitions(selected);
    const isInWorkspace = (file: string): Promise<boolean> => tools.isInWorkspace(file);
    const concern = await findConcern({ tool, name: wireName, input, path, definitions, isInWorkspace });
    // A permission applies to a call that runs once, not to repeating one.
    const isAllowed = !mayHaveRun && concern === undefined && (await permissions.has(tool, conversationId));
    if (isAllowed) return undefined;
    const place = concern === undefined ? await permissions.changeOf(tool, conversationId) : undefined;
    const reason = place === undefined ? concern : ({ reason: "changed", place } as const);
    const answer = await handle.confirm(mayHaveRun ? { reason: "again" } : reason);
    if (answer === "stop") return toolReplies.stopped;
    if (answer === "decline") return mayHaveRun ? toolReplies.notRepeated : toolReplies.declined;
    try {
      if (answer === "conversation") await permissions.allowInConversation(tool, conversationId);
      if (answer === "always") await permissions.allowInWorkspace(tool);
    } catch (error) {
      // A permission that can't be stored doesn't apply to later calls; the user has just allowed this one.
      this.#context.reportError(error);
    }
    const isSame = tools.identify(name)?.fingerprint === tool.fingerprint;
    return isSame ? undefined : toolReplies.changed;
  }

  /** If the start of the call can't be recorded, the user decides. Undefined if the tool may be invoked now. */
  async #recordStart(caller: ToolCallOrigin, handle: LiveCallHandle): Promise<ToolResult | undefined> {
    let start = await caller.recordStart();
    if (start === "unwritten") {
      const choice = await handle.confirm({ reason: "unwritten" });
      if (choice === "stop") return toolReplies.stopped;
      if (choice === "decline") return toolReplies.unrecorded;
      start = await caller.recordStart(true);
    }
    if (start === "taken") return toolReplies.taken;
    return start === "started" ? undefined : toolReplies.unrecorded;
  }

  async #invoke({ name }: EditorTool, input: object, state: RunState): Promise<ToolResult> {
    const { tools, now, encodeBase64 } = this.#context;
    const startedAt = now();
    let end: (result: ToolResult) => void = () => undefined;
    // A tool that ignores cancellation must not keep the user waiting.
    const stop = new Promise<ToolResult>((resolve) => (end = resolve));
    try {
      const run = tools.invoke(name, input);
      state.stop = () => {
        run.stop();
        end(toolReplies.stopped);
      };
      const isMcp = tools.identify(name)?.provider.startsWith("mcp:") === true;
      const done = run.result.then(({ content, isError }): ToolResult => {
        const given = toolResultContent(content, encodeBase64);
        return { outcome: isError || (isMcp && isMcpError(given.text)) ? "failed" : "done", ...given };
      });
      return { ...(await Promise.race([done, stop])), tookMs: now() - startedAt };
    } catch (error) {
      if (state.isStopped) return { ...toolReplies.stopped, tookMs: now() - startedAt };
      this.#context.reportError(error);
      return { ...toolReplies.failed(messageOf(error)), tookMs: now() - startedAt };
    }
  }
}

interface RunState {
  isStopped: boolean;
  stop: () => void;
}

/** Models are only offered object schemas, which come from JSON; any other schema is left out. */
function parametersOf(inputSchema: unknown): JsonObject {
  const nothing: JsonObject = { type: "object", properties: {} };
  if (!isJsonObject(inputSchema)) return nothing;
  return "type" in inputSchema ? inputSchema : { type: "object", ...inputSchema };
}

/** The arguments of a call in the form that the tool accepts, or what is reported to the model instead. */
type ToolInput =
  | { readonly state: "input"; readonly input: Readonly<Record<string, unknown>>; readonly json: string }
  | { readonly state: "refused"; readonly reply: ToolResult };

/** Parses the JSON text that a model wrote; missing arguments become an empty object. */
function parseToolInput(text: string): ToolInput {
  const json = text.trim() === "" ? "{}" : text;
  try {
    const input: unknown = JSON.parse(json);
    if (isRecord(input)) return { state: "input", input, json };
    return { state: "refused", reply: toolReplies.notAnObject };
  } catch (error) {
    return { state: "refused", reply: toolReplies.notJson(messageOf(error)) };
  }
}
