import { ChatPageDriver, createSnapshot } from "../../webview/support/chatPageDriver.ts";
import type { Benchmark } from "../benchmark.ts";

const rounds = 5;
const responses = 20;

/** Milliseconds, each compared with doing as little as possible on the same page or on an empty one. */
interface Times {
  /** From the document's arrival until the first text is painted: of an empty page, and of the chat. */
  readonly empty: number;
  readonly start: number;
  /** From the arrival of a message until it is painted: a word put into an element, and the first delta. */
  readonly word: number;
  readonly delta: number;
}

async function measure(): Promise<Times> {
  const driver = await ChatPageDriver.start({ width: 900, height: 900 });
  try {
    const { page } = driver;
    await page.route("**/empty", (route) =>
      route.fulfill({ contentType: "text/html", body: "<p>Empty</p>" }),
    );
    await driver.open();
    const address = page.url();
    await page.goto(`${address}empty`);
    const empty = await page.evaluate(readFirstPaint);
    await driver.open();
    const start = await page.evaluate(readFirstPaint);
    await driver.send({ type: "snapshot", snapshot: createSnapshot() });
    const { word, delta } = await page.evaluate(paintFirstDeltas, responses);
    return { empty, start, word, delta };
  } finally {
    await driver.close();
  }
}

/** Runs in the page. */
async function readFirstPaint(): Promise<number> {
  for (;;) {
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    const [navigation] = performance.getEntriesByType("navigation");
    if (paint !== undefined && navigation instanceof PerformanceNavigationTiming)
      return paint.startTime - navigation.responseEnd;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Runs in the page: medians of several responses. The time until the next frame is random, so all start in a timer. */
async function paintFirstDeltas(count: number): Promise<{ word: number; delta: number }> {
  const send = (data: object): void => void window.dispatchEvent(new MessageEvent("message", { data }));
  const painted = async (start: number, isShown: () => boolean): Promise<number> => {
    for (;;) {
      await new Promise(requestAnimationFrame);
      await new Promise<void>((resolve) => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => resolve();
        channel.port2.postMessage(undefined);
      });
      if (isShown()) return performance.now() - start;
    }
  };
  const rest = (): Promise<unknown> =>
    new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 17));
  const times = { word: [] as number[], delta: [] as number[] };
  const plain = document.createElement("p");
  document.querySelector(".column")?.append(plain);
  for (let round = 0; round < count; round += 1) {
    const id = `a${round}`;
    const message = { id, role: "assistant", status: "streaming", createdAt: 0, text: "", attachments: [] };
    send({ type: "messageAdded", message: { ...message, reasoning: "", toolCalls: [], model: "m" } });
    // The page shows that the response is awaited, with an animation that determines when the next frame is.
    await rest();
    const wordStart = performance.now();
    plain.textContent = `word${round}`;
    times.word.push(await painted(wordStart, () => true));
    await rest();
    const deltaStart = performance.now();
    const words = `Response${round} `;
    send({ type: "delta", messageId: id, textOffset: 0, text: words, reasoningOffset: 0, reasoning: "" });
    const isShown = (): boolean =>
      document.querySelector(`[data-message-id="${id}"]`)?.textContent.includes(words.trim()) === true;
    times.delta.push(await painted(deltaStart, isShown));
  }
  const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? NaN;
  return { word: median(times.word), delta: median(times.delta) };
}

export const benchmark: Benchmark = {
  title: "The page's part of a new chat and of the first painted word",
  async run() {
    const all: Times[] = [];
    for (let round = 0; round < rounds; round += 1) all.push(await measure());
    const median = (pick: (times: Times) => number): number =>
      all.map(pick).toSorted((a, b) => a - b)[rounds >> 1] ?? NaN;
    const word = median((times) => times.word);
    const delta = median((times) => times.delta);
    return [
      { name: "empty page: until the first paint", value: median(({ empty }) => empty), unit: "ms" },
      {
        name: "chat page: until the first paint, more than the empty page",
        value: median(({ start, empty }) => start - empty),
        unit: "ms",
        target: "at most 40",
        failAbove: 300,
      },
      { name: "a word put into an element: until it is painted", value: word, unit: "ms" },
      {
        name: "first delta of a response: until it is painted",
        value: delta,
        unit: "ms",
        ratio: delta / word,
        ratioTo: "a word put into an element",
        target: "at most 1.5",
        failAbove: 4,
      },
    ];
  },
};
