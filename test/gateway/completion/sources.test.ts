import assert from "node:assert/strict";
import type { Source } from "../../../src/core/conversation/sources.ts";
import { parseSources } from "../../../src/core/conversation/sources.ts";
import { readBody } from "./readBody.ts";

const stop = { index: 0, delta: {}, finish_reason: "stop" };
const stream = (top: object, body: object): string => {
  const chunk = { ...top, choices: [{ index: 0, delta: { content: "So [1].", ...body } }] };
  return [chunk, chunk, { choices: [stop] }].map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join("");
};
const whole = (top: object, body: object): string =>
  JSON.stringify({
    ...top,
    choices: [{ index: 0, message: { content: "So [1].", ...body }, finish_reason: "stop" }],
  });
const one: Source = { url: "https://a.example/page", title: "A page" };
const plain: Source = { url: "https://a.example/page" };
const citation = { type: "url_citation", url_citation: { ...one, start_index: 0, end_index: 3 } };

async function sourcesOf(body: string, type = "text/event-stream"): Promise<readonly Source[] | undefined> {
  const { events } = await readBody(body, type);
  return events.flatMap((event) => (event.type === "sources" ? [event.sources] : [])).at(0);
}

describe("The sources of a response", () => {
  for (const [server, top, body, expected] of [
    ["Perplexity's addresses", { citations: [plain.url] }, {}, plain],
    ["Perplexity's results", { citations: [plain.url], search_results: [{ ...one, date: "2026" }] }, {}, one],
    ["OpenAI's and OpenRouter's annotations", {}, { annotations: [citation] }, one],
    ["flat annotations", {}, { annotations: [{ type: "url_citation", ...one }] }, one],
    ["Azure's own data", {}, { context: { citations: [{ ...one, content: "…", filepath: "a.pdf" }] } }, one],
    ["Zhipu's web search", { web_search: [{ title: one.title, link: one.url, media: "A" }] }, {}, one],
    ["Qwen's search", { search_info: { search_results: [{ index: 1, ...one }] } }, {}, one],
    [
      "Google's grounding",
      { vertex_ai_grounding_metadata: [{ groundingChunks: [{ web: { uri: one.url, title: one.title } }] }] },
      {},
      one,
    ],
    ["Cohere's documents", {}, { citations: [{ sources: [{ type: "document", document: one }] }] }, one],
  ] as const) {
    it(`are read from ${server}, streamed or not`, async () => {
      assert.deepEqual(await sourcesOf(stream(top, body)), [expected]);
      assert.deepEqual(await sourcesOf(whole(top, body), "application/json"), [expected]);
    });
  }

  it("are only web addresses, without repetition, and bounded", async () => {
    const bad = [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "command:x",
      "vscode://x/y",
      "https://a b",
      "//a",
      "",
      5,
      null,
    ];
    const many = [...Array(200).keys()].map((number) => `https://a.example/${number}`);
    const long = `https://a.example/${"x".repeat(3_000)}`;
    assert.equal(await sourcesOf(stream({ citations: [...bad, long] }, {})), undefined);
    assert.equal((await sourcesOf(stream({ citations: [...many, ...many] }, {})))?.length, 50);
    const [titled] =
      parseSources([{ url: "https://a.example/", title: `\u202eevil\n${"x".repeat(999)}` }]) ?? [];
    assert.match(titled?.title ?? "", /^evil x{100,200}…$/);
  });

  it("are known from the first text on, because a response may be stopped", async () => {
    const { events } = await readBody(stream({ citations: [plain.url] }, {}));
    assert.deepEqual(
      events.slice(0, 3).map(({ type }) => type),
      ["text", "sources", "text"],
    );
  });

  it("don't come from tool calls, text or reasoning", async () => {
    const call = { index: 0, id: "c", function: { name: "open", arguments: '{"url":"https://a.example/"}' } };
    const body = stream({}, { tool_calls: [call], reasoning: "https://b.example/" });
    assert.equal(await sourcesOf(body), undefined);
  });

  it("are searched for to a limited depth", () => {
    let nested: object = { citations: ["https://a.example/"] };
    for (let depth = 0; depth < 10_000; depth++) nested = { sources: [nested] };
    assert.equal(parseSources([nested]), undefined);
  });
});
