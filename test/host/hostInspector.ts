import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";

const targets = v.tuple([v.object({ webSocketDebuggerUrl: v.string() })]);
const reply = v.object({ id: v.number(), result: v.unknown() });
const evaluated = v.object({
  result: v.object({ value: v.object({ heap: v.number(), resources: v.number() }) }),
});

/** Where Node listens for debuggers when a signal asks it to. */
const inspectorUrl = "http://127.0.0.1:9229/json/list";

/** Looks into a running extension host through Node's debugger, which it opens with a signal. Linux and macOS only. */
export class HostInspector {
  readonly #socket: WebSocket;
  readonly #replies = new Map<number, (result: unknown) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const parsed = v.safeParse(reply, JSON.parse(String(data)));
      if (parsed.success) this.#replies.get(parsed.output.id)?.(parsed.output.result);
    });
  }

  static async open(processId: number): Promise<HostInspector> {
    process.kill(processId, "SIGUSR1");
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(100)) {
      const list = await fetch(inspectorUrl).then(
        (response) => response.json(),
        () => undefined,
      );
      const parsed = v.safeParse(targets, list);
      if (!parsed.success) continue;
      const socket = new WebSocket(parsed.output[0].webSocketDebuggerUrl);
      await once(socket, "open");
      return new HostInspector(socket);
    }
    throw new Error("The extension host opens no debugger.");
  }

  /** Bytes that are in use after garbage collection, and the number of open sockets, timers and the like. */
  async memory(): Promise<{ readonly heap: number; readonly resources: number }> {
    // A first collection runs finalizers, whose objects the second one frees.
    await this.#call("HeapProfiler.collectGarbage", {});
    await this.#call("HeapProfiler.collectGarbage", {});
    const expression =
      "(({ heapUsed, external }) => ({ heap: heapUsed + external, resources: process.getActiveResourcesInfo().length }))(process.memoryUsage())";
    const result = await this.#call("Runtime.evaluate", { expression, returnByValue: true });
    return v.parse(evaluated, result).result.value;
  }

  close(): void {
    this.#socket.close();
  }

  #call(method: string, params: object): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#replies.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
