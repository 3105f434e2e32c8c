import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConversationStore } from "../../../src/core/conversationStore.ts";
import { openConversationStore } from "../../../src/storage/openConversationStore.ts";
import type { Benchmark, BenchmarkRow } from "../benchmark.ts";

const conversationCount = 10_000;
const messagesEach = 4;
const messageLength = 500;
const rounds = 7;

const queries: readonly (readonly [string, string])[] = [
  ["a word that is in all of them", "lorem"],
  ["three common words", "ipsum dolor amet"],
  ["a part of a word that is in one of them", "needl"],
  ["what is in none", "xyzzy"],
  ["two letters", "ut"],
  ["two characters of Chinese", "数据"],
];

/** Searches through 10,000 conversations of 20 MB, and what making them searchable costs. */
export const benchmark: Benchmark = {
  title: "Search over 10,000 conversations",
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "bench-search-"));
    const file = join(folder, "conversations.db");
    const store = await openConversationStore(file, { now: () => Date.now(), onProblem: fail });
    try {
      fill(store);
      const indexing = timeOf(() => {
        while (!store.search("warm up").isComplete);
      });
      const size = statSync(`${file}.search1`).size / statSync(file).size;
      return [
        { name: "make 20 MB of messages searchable, in slices", value: indexing, unit: "ms" },
        { name: "size of the index, beside the conversations", value: size, unit: "times" },
        ...queries.map((query) => measureQuery(store, query)),
      ];
    } finally {
      store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function measureQuery(store: ConversationStore, [name, query]: readonly [string, string]): BenchmarkRow {
  const times = Array.from({ length: rounds }, () => timeOf(() => store.search(query)));
  return { name: `search for ${name}`, value: Math.max(...times), unit: "ms, worst", target: "under 50 ms" };
}

function fill(store: ConversationStore): void {
  for (let i = 0; i < conversationCount; i++) {
    const id = `c${i}`;
    store.saveConversation({ id, title: `Conversation ${i}`, createdAt: i, updatedAt: i });
    for (let j = 0; j < messagesEach; j++) store.saveMessage(id, message(`${id}-${j}`, i * messagesEach + j));
    if (i % 500 === 0) store.flush();
  }
  store.flush();
}

function message(id: string, index: number) {
  const marks = [index === 5_000 ? "the needle" : "", index % 7 === 0 ? "数据库" : ""].join(" ");
  const text = `Message ${index} ${marks} `.padEnd(messageLength, "lorem ipsum dolor sit amet, ut labore ");
  return {
    ...({ id, role: "user", status: "complete", createdAt: index, text } as const),
    ...{ attachments: [], reasoning: "", toolCalls: [] },
  };
}

function fail(sentence: string): void {
  throw new Error(sentence);
}

function timeOf(run: () => unknown): number {
  const before = performance.now();
  run();
  return performance.now() - before;
}
