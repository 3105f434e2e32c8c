import type { CompletionPort, CompletionRequest } from "../../conversation/completion.ts";
import { deferCompletion } from "../../conversation/deferCompletion.ts";
import type { ToolPort, ToolResult, ToolRun } from "../../conversation/toolPort.ts";
import { toolReplies } from "../../conversation/toolPort.ts";

/**
 * Checks a request just before it is sent; undefined if it must not be sent.
 * @param isStopped Whether the request was stopped in the meantime, so that the user must not be asked about it.
 */
type PassRequest = (
  request: CompletionRequest,
  isStopped: () => boolean,
) => Promise<CompletionRequest | undefined>;

/**
 * Wraps the port so that every request passes through `pass`, one after the other. A rejected request ends without any
 * event.
 */
export function guardCompletion(port: CompletionPort, pass: PassRequest): CompletionPort {
  let last: Promise<unknown> = Promise.resolve();
  function passInTurn(...[request, isStopped]: Parameters<PassRequest>): ReturnType<PassRequest> {
    const passed = last.then(() => (isStopped() ? undefined : pass(request, isStopped)));
    last = passed.catch(() => undefined);
    return passed;
  }
  return {
    complete(request, observer) {
      let isStopped = false;
      const guarded = deferCompletion(async () => {
        const passed = await passInTurn(request, () => isStopped);
        return passed === undefined ? refused : { complete: () => port.complete(passed, observer) };
      });
      const run = guarded.complete(request, observer);
      return {
        events: run.events,
        stop() {
          isStopped = true;
          run.stop();
        },
      };
    },
  };
}

const refused: CompletionPort = {
  complete: () => ({
    events: {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
    },
    stop: () => undefined,
  }),
};

/** Checks the result of a tool; undefined if the user keeps it private. */
export type ResultGuard = (
  text: string,
  from: { readonly tool: string; readonly conversationId: string },
) => Promise<string | undefined>;

/** Wraps the tools so that their results are checked before they are stored and sent to the model. */
export function guardedTools(port: ToolPort, guard: ResultGuard): ToolPort {
  return {
    definitions: (names) => port.definitions(names),
    run(call, caller): ToolRun {
      const run = port.run(call, caller);
      let end: (result: ToolResult) => void = () => undefined;
      const whenStopped = new Promise<ToolResult>((resolve) => (end = resolve));
      const check = async (): Promise<ToolResult> => {
        const result = await run.result;
        if (result.outcome === "taken") return result;
        const from = { tool: call.name, conversationId: caller.conversationId };
        const text = await guard(result.text, from);
        return text === undefined ? withheldAfter(result) : { ...result, text };
      };
      return {
        result: Promise.race([check(), whenStopped]),
        stop() {
          run.stop();
          // The tool itself reports that it was stopped, and asking about its result would delay that.
          void run.result.then((result) => end(result.outcome === "stopped" ? result : toolReplies.stopped));
        },
      };
    },
  };
}

function withheldAfter({ tookMs }: ToolResult): ToolResult {
  return { ...toolReplies.withheld, ...(tookMs === undefined ? {} : { tookMs }) };
}
