import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "../../src/core/conversation/conversation.ts";
import type { ConversationStore } from "../../src/core/conversation/conversationStore.ts";
import { SqliteConversationStore } from "../../src/storage/conversations/conversationStore.ts";
import type { Benchmark, BenchmarkRow } from "./benchmark.ts";

const messageCount = 1_000;
const messageLength = 2_000;
const deltaCount = 200_000;
const conversationCount = 10_000;
const tokensASecond = 5_000;
const tokenLength = 4;
const streamedMs = 10_000;
/** Milliseconds between two commits of a growing response. */
const commitMs = 150;
const turnCount = 10;
const rounds = 7;

/**
 * A conversation of 1,000 messages and 2 MB compared with the same as a single JSON text, and the cost of an incoming
 * response.
 */
export const benchmark: Benchmark = {
  title: "Conversations on disk",
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "bench-store-"));
    // First, because every store of this process works in the background.
    const bytes = [...(await measureBytes(folder)), ...(await measureTurns(folder))];
    const store = openStore(folder, "conversations.db");
    try {
      return [
        ...measureLoad(folder, store),
        ...measureAppend(store),
        ...bytes,
        ...(await measureList(folder)),
      ];
    } finally {
      store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function openStore(folder: string, name: string): ConversationStore {
  return new SqliteConversationStore(join(folder, name), {
    now: () => Date.now(),
    onProblem(sentence) {
      throw new Error(sentence);
    },
  });
}

function measureLoad(folder: string, store: ConversationStore): readonly BenchmarkRow[] {
  const jsonFile = join(folder, "conversation.json");
  store.save({ type: "conversation", fields: { id: "long", title: "Long", createdAt: 1, updatedAt: 1 } });
  for (let i = 0; i < messageCount; i++)
    store.save({ type: "message", conversationId: "long", message: createMessage(i) });
  store.flush();
  writeFileSync(jsonFile, JSON.stringify(store.load("long")));
  const [load, parse] = interleave(
    () => store.load("long"),
    () => JSON.parse(readFileSync(jsonFile, "utf8")),
  );
  return [
    { name: "read a JSON file of 1,000 messages (2 MB) and parse it", value: parse, unit: "ms CPU" },
    {
      name: "load a conversation of 1,000 messages (2 MB)",
      value: load,
      unit: "ms CPU",
      ratio: load / parse,
      ratioTo: "JSON file",
      target: "under 50 ms",
      failAbove: 30,
    },
  ];
}

/** A response of 200,000 deltas, written every 2,000. The last tenth must cost no more than the first. */
function measureAppend(store: ConversationStore): readonly BenchmarkRow[] {
  store.save({ type: "conversation", fields: { id: "grown", title: "Grown", createdAt: 1, updatedAt: 1 } });
  const answer: Message = {
    ...createMessage(0),
    id: "answer",
    role: "assistant",
    status: "streaming",
    text: "",
  };
  const tenths: number[][] = Array.from({ length: 10 }, () => []);
  for (let round = 0; round < 3; round++) {
    store.save({ type: "message", conversationId: "grown", message: { ...answer, id: `answer${round}` } });
    for (const times of tenths) times.push(timeOf(() => appendTenth(store, `answer${round}`)));
    store.save({
      type: "message",
      conversationId: "grown",
      message: { ...answer, id: `answer${round}`, status: "complete" },
    });
    store.flush();
  }
  const [first = 0, last = 0] = [median(tenths[0] ?? []), median(tenths.at(-1) ?? [])];
  const perDelta = (ms: number): number => (ms * 1_000) / (deltaCount / 10);
  return [
    { name: "append a delta, first tenth of 200,000", value: perDelta(first), unit: "µs CPU" },
    {
      name: "append a delta, last tenth of 200,000",
      value: perDelta(last),
      unit: "µs CPU",
      ratio: last / first,
      ratioTo: "first tenth",
      target: "within 1.3 times",
      failAbove: 3,
    },
  ];
}

function appendTenth(store: ConversationStore, messageId: string): void {
  for (let i = 1; i <= deltaCount / 10; i++) {
    store.appendDelta("grown", messageId, { kind: "text", text: "word " });
    if (i % 2_000 === 0) store.flush();
  }
}

/**
 * Bytes handed to the file system for each byte of a response at 5,000 tokens a second, in real time, with everything
 * that follows: moving the log into the file, and the search index. Only Linux counts them.
 */
async function measureBytes(folder: string): Promise<readonly BenchmarkRow[]> {
  if (process.platform !== "linux") return [];
  const store = openStore(folder, "bytes.db");
  store.save({ type: "conversation", fields: { id: "bytes", title: "Bytes", createdAt: 1, updatedAt: 1 } });
  // The first numbers of a new database take up no bytes, so any other number makes a row longer.
  store.save({ type: "message", conversationId: "bytes", message: createMessage(0) });
  const answer: Message = { ...createMessage(1), id: "answer", status: "streaming", text: "" };
  let text = "";
  store.save({ type: "message", conversationId: "bytes", message: answer }, () => ({ ...answer, text }));
  store.flush();
  // Until it has done what every start requires.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const before = bytesWritten();
  const start = performance.now();
  for (let elapsed = 0; elapsed < streamedMs; elapsed = performance.now() - start) {
    for (const goal = (elapsed * tokensASecond) / 1_000; text.length / tokenLength < goal;) {
      const delta = createToken(text.length);
      store.appendDelta("bytes", answer.id, { kind: "text", text: delta });
      text += delta;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const streamed = bytesWritten() - before;
  store.save({ type: "message", conversationId: "bytes", message: { ...answer, status: "complete", text } });
  store.flush();
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  store.close();
  return [
    {
      ...{ name: "bytes written for each commit of a response at 5,000 words a second", unit: "bytes" },
      ...{ value: streamed / (streamedMs / commitMs), target: "at most 16,000", failAbove: 40_000 },
    },
    {
      ...{ name: "bytes written for each byte of it in all", unit: "bytes" },
      ...{ value: (bytesWritten() - before) / text.length, target: "at most 10", failAbove: 15 },
    },
  ];
}

/** The same for short messages and responses, with everything else that a turn changes. Each is searched for later. */
async function measureTurns(folder: string): Promise<readonly BenchmarkRow[]> {
  if (process.platform !== "linux") return [];
  const store = openStore(folder, "turns.db");
  const before = bytesWritten();
  let length = 0;
  for (let turn = 0; turn < turnCount; turn++) {
    const question = { ...createMessage(0), id: `question${turn}`, text: createText(turn, 200) };
    const answer: Message = { ...createMessage(1), id: `answer${turn}`, text: createText(-turn, 2_000) };
    length += question.text.length + answer.text.length;
    store.save({
      type: "conversation",
      fields: { id: "turns", title: "Turns", createdAt: 1, updatedAt: turn },
    });
    store.save({ type: "message", conversationId: "turns", message: question });
    store.save({
      type: "message",
      conversationId: "turns",
      message: { ...answer, status: "streaming", text: "" },
    });
    for (let start = 0; start < answer.text.length; start += 200) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      store.appendDelta("turns", answer.id, { kind: "text", text: answer.text.slice(start, start + 200) });
    }
    store.save({ type: "message", conversationId: "turns", message: answer });
    // Until it would be in the index.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
  store.close();
  const value = (bytesWritten() - before) / length;
  return [
    {
      ...{ name: "bytes written for each byte of short messages, in all", unit: "bytes" },
      ...{ value, target: "at most 100", failAbove: 150 },
    },
  ];
}

function createText(seed: number, length: number): string {
  let text = "";
  while (text.length < length) text += createToken(seed * 7_919 + text.length);
  return text;
}

/** One of a thousand words of three letters, in no order: a response is compressed about as much as a model's. */
function createToken(seed: number): string {
  const word = (Math.imul(seed + 1, 2_654_435_761) >>> 12) % 1_000;
  const letters = [7_919, 104_729, 15_485_863].map((factor) => 97 + ((Math.imul(word, factor) >>> 9) % 26));
  return ` ${String.fromCharCode(...letters)}`.padEnd(tokenLength, "x");
}

function bytesWritten(): number {
  return Number(/wchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

async function measureList(folder: string): Promise<readonly BenchmarkRow[]> {
  const store = openStore(folder, "many.db");
  for (let i = 0; i < conversationCount; i++) {
    store.save({
      type: "conversation",
      fields: { id: `c${i}`, title: `Conversation ${i}`, createdAt: i, updatedAt: i },
    });
  }
  store.close();
  const opened: number[] = [];
  const listed: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = performance.now();
    const again = openStore(folder, "many.db");
    opened.push(performance.now() - before);
    listed.push(timeOf(() => again.list()));
    again.close();
  }
  return [
    { name: "open a file of 10,000 conversations", value: median(opened), unit: "ms" },
    {
      ...{ name: "list 10,000 conversations", value: median(listed), unit: "ms CPU" },
      ...{ target: "under 50 ms", failAbove: 150 },
    },
  ];
}

function createMessage(index: number): Message {
  return {
    id: `m${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    status: "complete",
    createdAt: index,
    text: `Message ${index}, with “quotes”, a line\nand more. `.padEnd(messageLength, "lorem ipsum "),
    attachments: [],
    reasoning: "",
    toolCalls: [],
    model: "organization/model",
    usage: { promptTokens: 10, completionTokens: 500 },
    finishReason: "stop",
  };
}

/** Medians of two alternatives, run alternately so that both have the same conditions. */
function interleave(first: () => unknown, second: () => unknown): readonly [number, number] {
  const times: readonly [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    times[0].push(timeOf(first));
    times[1].push(timeOf(second));
  }
  return [median(times[0]), median(times[1])];
}

/** Milliseconds of this thread's CPU time, on which other processes have little effect. */
function timeOf(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}
