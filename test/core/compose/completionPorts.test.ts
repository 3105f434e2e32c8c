import assert from "node:assert/strict";
import { fittingCompletions } from "../../../src/core/compose/meter/fittingCompletions.ts";
import { guardCompletion } from "../../../src/core/compose/send/guardedPorts.ts";
import type {
  CompletionObserver,
  CompletionPort,
  CompletionRequest,
} from "../../../src/core/conversation/completion.ts";
import { deferCompletion } from "../../../src/core/conversation/deferCompletion.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";

type Wrap = (port: CompletionPort) => CompletionPort;

const wrappers: Readonly<Record<string, Wrap>> = {
  fit: (port) =>
    fittingCompletions(port, {
      contextLength: () => undefined,
      supports: () => false,
      lacksTools: () => false,
      policy: () => undefined,
      count: (text) => text.length,
      factor: () => 1,
    }),
  guard: (port) => guardCompletion(port, (request) => Promise.resolve(request)),
  defer: (port) => deferCompletion(() => Promise.resolve(port)),
};

function ordersOf(names: readonly string[]): readonly (readonly string[])[] {
  if (names.length === 0) return [[]];
  return names.flatMap((name) =>
    ordersOf(names.filter((other) => other !== name)).map((rest) => [name, ...rest]),
  );
}

/** Emits every kind of event that a port supports, and keeps the requests that it received. */
class TalkingPort implements CompletionPort {
  readonly asked: { readonly request: CompletionRequest; readonly observer: CompletionObserver }[] = [];

  complete(request: CompletionRequest, observer: CompletionObserver): ReturnType<CompletionPort["complete"]> {
    this.asked.push({ request, observer });
    async function* events() {
      await Promise.resolve();
      const error = new ServiceError({ reason: "unavailable", message: "Busy." });
      observer.onRetry?.({ attempt: 2, maxAttempts: 4, waitMs: 1, error, retryNow: () => undefined });
      observer.onOmitted?.({ turns: 1, files: 0, tokens: 9 });
      observer.onResponse?.({ requestId: "r" });
      yield { type: "text", text: "Hello" } as const;
      yield { type: "finish", reason: "stop" } as const;
    }
    return { events: events(), stop: () => undefined };
  }
}

describe("Wrappers of the completion port", () => {
  for (const order of ordersOf(Object.keys(wrappers)))
    it(`lose nothing in the order ${order.join(", ")}`, async () => {
      const inner = new TalkingPort();
      const port = order.reduce<CompletionPort>(
        (wrapped, name) => wrappers[name]?.(wrapped) ?? wrapped,
        inner,
      );
      const heard: string[] = [];
      const observer = {
        messageId: "m",
        onRetry: () => heard.push("retry"),
        onOmitted: () => heard.push("omitted"),
        onResponse: () => heard.push("response"),
        // Represents a property that is added in the future and that no wrapper knows about.
        later: "kept",
      };
      const request = { model: "a/b", messages: [], stream: true, parameters: { top_p: 1 }, without: ["x"] };
      const events: string[] = [];
      for await (const { type } of port.complete(request, observer).events) events.push(type);
      assert.deepEqual(heard, ["retry", "omitted", "response"]);
      assert.deepEqual(events, ["text", "finish"]);
      const [asked] = inner.asked;
      assert.deepEqual(asked?.request, request);
      assert.equal(asked?.observer.messageId, "m");
      assert.equal(Reflect.get(asked?.observer ?? {}, "later"), "kept");
    });
});
