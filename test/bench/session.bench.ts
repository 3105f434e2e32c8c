import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ChatSession } from "../../src/core/conversation/chatSession.ts";
import type { CompletionEvent, CompletionPort } from "../../src/core/conversation/completion.ts";
import type { ConversationStore } from "../../src/core/conversation/conversationStore.ts";
import { SessionView } from "../../src/core/panel/sessionView.ts";
import { createTestClient } from "../support/createTestClient.ts";
import { SqliteConversationStore } from "../../src/storage/conversations/conversationStore.ts";
import { startServer } from "../support/httpServer.ts";
import { createTestTransport } from "../support/testTransport.ts";
import type { Benchmark, BenchmarkRow } from "./benchmark.ts";

const rounds = 5;
const sends = 20;
const chats = 20;
const chatDeltas = 2_000;
const lengths = [20_000, 200_000] as const;

/**
 * The path of a delta through the session: kept, written to disk and merged into one message per frame for one page.
 */
export const benchmark: Benchmark = {
  title: "Chat session: from a completion event to the disk and to the page's message",
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "bench-session-"));
    const store = new SqliteConversationStore(join(folder, "conversations.db"), {
      now: () => Date.now(),
      onProblem(sentence) {
        throw new Error(sentence);
      },
    });
    try {
      return await measure(store);
    } finally {
      store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measure(store: ConversationStore): Promise<readonly BenchmarkRow[]> {
  const times: Record<(typeof lengths)[number], number[]> = { 20_000: [], 200_000: [] };
  for (let round = 0; round < rounds; round++) {
    for (const length of lengths) times[length].push((await streamResponse(store, length)) * 1_000);
  }
  const [short, long] = [median(times[20_000]), median(times[200_000])];
  const sent: number[] = [];
  for (let turn = 0; turn < sends; turn++) sent.push(await measureSend(store));
  const requested: number[] = [];
  for (let turn = 0; turn < sends; turn++) requested.push(await measureRequest(store));
  return [
    {
      ...{ name: "longest task while twenty responses stream", value: await measureSpike(store) },
      ...{ unit: "ms CPU", target: "at most 50", failAbove: 150 },
    },
    {
      ...{
        name: `Send: until the server has the request (least of ${sends})`,
        value: Math.min(...requested),
      },
      ...{ unit: "ms", target: "at most 15, with the page and the guard", failAbove: 30 },
    },
    {
      ...{ name: `Send: until the client has the request (least of ${sends})`, value: Math.min(...sent) },
      ...{ unit: "ms", target: "at most 15, with the page and the guard", failAbove: 30 },
    },
    { name: "a delta of an answer of 20,000", value: short, unit: "µs" },
    {
      name: "a delta of an answer of 200,000",
      value: long,
      unit: "µs",
      ratio: long / short,
      ratioTo: "20,000 deltas",
      target: "within 1.3 times",
      failAbove: 2.6,
    },
  ];
}

function createSession(store: ConversationStore, completions: CompletionPort): ChatSession {
  let ids = 0;
  return new ChatSession(
    { id: crypto.randomUUID(), title: "Bench", createdAt: 1, updatedAt: 1, messages: [] },
    {
      completions,
      store,
      now: () => Date.now(),
      createId: () => `m${++ids}`,
      defaultModel: async () => "organization/model",
      reportError(error) {
        throw error;
      },
    },
  );
}

/** Returns the milliseconds from sending a message in a new conversation until the client is called. */
async function measureSend(store: ConversationStore): Promise<number> {
  const port = createPort(1);
  let sentAt = Number.NaN;
  const session = createSession(store, {
    complete(...request) {
      sentAt = performance.now();
      return port.complete(...request);
    },
  });
  const ended = endOf(session);
  const before = performance.now();
  session.send("Count.");
  await ended;
  return sentAt - before;
}

/** Returns the milliseconds from sending a message in a new conversation until a server has the whole request. */
async function measureRequest(store: ConversationStore): Promise<number> {
  let requestedAt = Number.NaN;
  const server = await startServer((request, response) => {
    request.resume();
    request.on("end", () => {
      requestedAt = performance.now();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        `data: {"choices":[{"delta":{"content":"1"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`,
      );
    });
  });
  const client = createTestClient(server.url, { transport: createTestTransport(), timeoutMs: () => 600_000 });
  const session = createSession(store, client);
  const ended = endOf(session);
  const before = performance.now();
  session.send("Count.");
  await ended;
  await server.close();
  return requestedAt - before;
}

/**
 * The longest time in milliseconds for which the thread was busy while many responses arrive at once, each at the speed
 * of a fast model. Only its own CPU time counts, on which other processes have little effect.
 */
async function measureSpike(store: ConversationStore): Promise<number> {
  let longest = 0;
  let last = cpuMs();
  const watch = setInterval(() => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  await Promise.all(Array.from({ length: chats }, () => streamResponse(store, chatDeltas, 4)));
  clearInterval(watch);
  return longest;
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Resolves when the response of the session has its final form. */
function endOf(session: ChatSession): Promise<void> {
  return new Promise((resolve) => {
    session.subscribe(
      (event) => event.type === "messageChanged" && event.message.status !== "streaming" && resolve(),
    );
  });
}

/** Returns milliseconds per delta. */
async function streamResponse(
  store: ConversationStore,
  deltaCount: number,
  deltaMs?: number,
): Promise<number> {
  const session = createSession(store, createPort(deltaCount, deltaMs));
  let posted = 0;
  const view = new SessionView(
    session,
    (message) => void (posted += message.type === "delta" ? message.text.length : 0),
    (run, ms) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  );
  const ended = endOf(session);
  const before = performance.now();
  session.send("Count.");
  await ended;
  const duration = performance.now() - before;
  view.dispose();
  if (posted !== deltaCount * 5) throw new Error(`The page got ${posted} characters.`);
  return duration / deltaCount;
}

/**
 * Deltas in chunks of a hundred, as from a socket, so that timers can run in between, or each after this many
 * milliseconds.
 */
function createPort(deltaCount: number, deltaMs?: number): CompletionPort {
  async function* readEvents(): AsyncGenerator<CompletionEvent> {
    for (let i = 1; i <= deltaCount; i++) {
      yield { type: "text", text: "word " };
      if (deltaMs !== undefined) await pause(deltaMs);
      else if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    yield { type: "finish", reason: "stop" };
  }
  return {
    complete: () => ({ events: readEvents(), stop: () => undefined }),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}
