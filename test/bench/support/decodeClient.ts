import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";
import OpenAI from "openai";
import { createParser } from "eventsource-parser";
import { Agent, request } from "undici";
import type { CompletionEvent } from "../../../src/core/conversation/completion.ts";
import { ExchangeRecorder } from "../../../src/core/responses/exchange/exchangeRecorder.ts";
import { createTestClient } from "../../support/createTestClient.ts";
import { createTestTransport } from "../../support/testTransport.ts";
import { streamShapes } from "./streamShapes.ts";

/** The report of one client process: CPU time for the stream in microseconds, peak memory, and the first deltas. */
export interface DecodeReport {
  readonly events: number;
  readonly cpuMicroseconds: number;
  readonly peakMegabytes: number;
  readonly firstDeltaMicroseconds: readonly number[];
}

interface Client {
  /** Reads a stream to its end. Returns the number of deltas (or bytes) and when the first one arrived. */
  read(count: number): Promise<{ readonly events: number; readonly firstAt: number }>;
}

const [name = "", port = "", shape = "", countText = "", measuresFirst = ""] = process.argv.slice(2);
/** How often a stream is read: one of few events is over after a few ticks of the clock that measures CPU time. */
const turns = (streamShapes[Number(shape)]?.weight ?? 1) > 1 ? 10 : 1;
const origin = `http://127.0.0.1:${port}/${shape}`;
const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }], stream: true });

/** The lower limit: undici only, counting bytes. */
function createFloor(): Client {
  const dispatcher = new Agent();
  return {
    async read(count) {
      const response = await request(`${origin}/${count}/v1/chat/completions`, {
        method: "POST",
        body,
        dispatcher,
      });
      let bytes = 0;
      let firstAt = 0;
      response.body.on("data", (chunk: Buffer) => {
        if (bytes === 0) firstAt = performance.now();
        bytes += chunk.length;
      });
      await new Promise((resolve) => response.body.once("end", resolve));
      return { events: count, firstAt };
    },
  };
}

/** The naive way: undici, eventsource-parser and JSON.parse, iterated over like the responses of the other clients. */
function createNaive(): Client {
  const dispatcher = new Agent();

  async function* readChunks(count: number): AsyncGenerator<NaiveChunk> {
    const response = await request(`${origin}/${count}/v1/chat/completions`, {
      method: "POST",
      body,
      dispatcher,
    });
    const decoder = new TextDecoder();
    let chunks: NaiveChunk[] = [];
    const parser = createParser({
      onEvent({ data }) {
        if (data !== "[DONE]") chunks.push(JSON.parse(data) as NaiveChunk);
      },
    });
    for await (const bytes of response.body) {
      parser.feed(decoder.decode(bytes as Buffer, { stream: true }));
      for (const chunk of chunks) yield chunk;
      chunks = [];
    }
  }

  return {
    async read(count) {
      let events = 0;
      let firstAt = 0;
      for await (const { choices } of readChunks(count)) {
        if (choices[0]?.delta === undefined || choices[0].finish_reason !== null) continue;
        if (events === 0) firstAt = performance.now();
        events++;
      }
      return { events, firstAt };
    },
  };
}

interface NaiveChunk {
  readonly choices: readonly { readonly delta?: object; readonly finish_reason: string | null }[];
}

function createOurs(): Client {
  const transport = createTestTransport();
  return {
    async read(count) {
      const client = createTestClient(`${origin}/${count}`, { transport, timeoutMs: () => 600_000 });
      const run = client.complete(
        { model: "m", messages: [{ role: "user", content: "Hi" }], stream: true },
        { exchange: createRecorder() },
      );
      return countDeltas(run.events);
    },
  };
}

/** The request inspector's, which observes every response in the product. */
function createRecorder(): ExchangeRecorder {
  return new ExchangeRecorder({
    model: "m",
    purpose: "response",
    startedAt: Date.now(),
    monotonic: () => performance.now(),
    onBegun: () => undefined,
    onRecorded: () => undefined,
  });
}

async function countDeltas(
  stream: AsyncIterable<CompletionEvent>,
): Promise<{ events: number; firstAt: number }> {
  let events = 0;
  let firstAt = 0;
  for await (const event of stream) {
    if (event.type !== "text" && event.type !== "reasoning" && event.type !== "toolCall") continue;
    if (events === 0) firstAt = performance.now();
    events++;
  }
  return { events, firstAt };
}

function createOpenAi(): Client {
  return {
    async read(count) {
      const client = new OpenAI({ apiKey: "key", baseURL: `${origin}/${count}/v1` });
      const stream = await client.chat.completions.create({
        model: "m",
        messages: [{ role: "user", content: "Hi" }],
        stream: true,
      });
      let events = 0;
      let firstAt = 0;
      for await (const chunk of stream) {
        if (chunk.choices[0]?.finish_reason !== null) continue;
        if (events === 0) firstAt = performance.now();
        events++;
      }
      return { events, firstAt };
    },
  };
}

/** The AI SDK with its provider for OpenAI-compatible services. */
function createAi(): Client {
  return {
    async read(count) {
      const provider = createOpenAICompatible({
        name: "bench",
        apiKey: "key",
        baseURL: `${origin}/${count}/v1`,
        includeUsage: true,
      });
      const { textStream } = streamText({ model: provider("m"), prompt: "Hi" });
      let events = 0;
      let firstAt = 0;
      for await (const text of textStream) {
        if (text === "") continue;
        if (events === 0) firstAt = performance.now();
        events++;
      }
      return { events, firstAt };
    },
  };
}

const clients: Readonly<Record<string, () => Client>> = {
  floor: createFloor,
  naive: createNaive,
  ours: createOurs,
  openai: createOpenAi,
  ai: createAi,
};

async function measure(client: Client, count: number): Promise<DecodeReport> {
  const firstDeltaMicroseconds: number[] = [];
  for (let turn = 0; turn < (measuresFirst === "" ? 0 : 200); turn++) {
    const startedAt = performance.now();
    const { firstAt } = await client.read(1);
    if (turn >= 50) firstDeltaMicroseconds.push((firstAt - startedAt) * 1_000);
  }
  // The extension host runs for a long time, so the second stream is measured, when the engine has optimized frequently
  // run code.
  await client.read(count);
  const before = process.cpuUsage();
  let events = 0;
  for (let turn = 0; turn < turns; turn++) ({ events } = await client.read(count));
  const { user, system } = process.cpuUsage(before);
  return {
    events,
    cpuMicroseconds: (user + system) / turns,
    peakMegabytes: process.resourceUsage().maxRSS / 1_024,
    firstDeltaMicroseconds,
  };
}

const create = clients[name];
if (create !== undefined) process.send?.(await measure(create(), Number(countText)));
process.disconnect?.();
process.exit();
