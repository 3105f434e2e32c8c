import assert from "node:assert/strict";
import { parseExactJson, parseExactJsonInPieces } from "../../../src/gateway/servers/exactJson.ts";
import { createRandom } from "../../support/random.ts";

/** The result, or the kind of error, and the number of pieces. */
function inPieces(text: string): { readonly outcome: unknown; readonly pieces: number } {
  const running = parseExactJsonInPieces(text);
  try {
    for (let pieces = 0; ; pieces++) {
      const { done, value } = running.next();
      if (done === true) return { outcome: value, pieces };
    }
  } catch (error) {
    return { outcome: (error as Error).name, pieces: 0 };
  }
}

function atOnce(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    return (error as Error).name;
  }
}

function envelope(entries: number, indent = 0): string {
  const servers = Array.from({ length: entries }, (_, index) => ({
    id: `server-${index}`,
    name: 'quote " and \\ and ] and }',
    inner: { list: [index, null, true, { deep: [[]] }], number: "BIG" },
    text: "x".repeat(300),
  }));
  const value = {
    ok: true,
    data: { total: entries, page: { items: servers }, empty: [], none: {} },
    last: "é",
  };
  return JSON.stringify(value, undefined, indent).replaceAll('"BIG"', "12345678901234567890");
}

describe("A long JSON text that is parsed in pieces", () => {
  it("gives the same result as parsing it at once, with every digit", () => {
    for (const text of [envelope(2_000), envelope(2_000, 2), `\ufeff${envelope(1_000)}\n`]) {
      const { outcome, pieces } = inPieces(text);
      assert.deepEqual(outcome, atOnce(text));
      assert.ok(pieces >= text.length / 200_000, `${pieces} pieces for ${text.length}`);
    }
  });

  it("is divided between servers even if the text between them also occurs inside them", () => {
    const entries = Array.from({ length: 2_000 }, (_, index) => ({
      id: index,
      disks: Array.from({ length: 5 }, (__, disk) => ({ id: disk, note: '},{"id":1},{"id":2}' })),
      text: "x".repeat(200 + (index % 7)),
    }));
    const alike = JSON.stringify(entries);
    const mixed = JSON.stringify([...entries, null, 1, "},{", [], { name: "no ID" }, ...entries]);
    for (const text of [alike, JSON.stringify(entries, undefined, 1), mixed, alike.slice(0, -9)]) {
      const { outcome, pieces } = inPieces(text);
      assert.deepEqual(outcome, atOnce(text));
      if (Array.isArray(outcome)) assert.ok(pieces >= text.length / 200_000, `${pieces} pieces`);
    }
  });

  it("is divided as well if the servers are the fields of an object", () => {
    const server = { name: "gpu", gpu: { model: "example", count: 8 }, text: "x".repeat(300) };
    const servers = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, index) => [`server-${index}`, server]),
    );
    const text = JSON.stringify({ data: { servers } });
    const { outcome, pieces } = inPieces(text);
    assert.deepEqual(outcome, atOnce(text));
    assert.ok(pieces >= text.length / 200_000, `${pieces} pieces for ${text.length}`);
  });

  it("is divided into equally few pieces if it consists of many short lists", () => {
    const lists = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, index) => [
        `region-${index}`,
        [{ id: 1, text: "x".repeat(40) }, { id: 2 }],
      ]),
    );
    const text = JSON.stringify({ lists });
    const { outcome, pieces } = inPieces(text);
    assert.deepEqual(outcome, atOnce(text));
    assert.ok(pieces <= text.length / 50_000, `${pieces} pieces for ${text.length}`);
  });

  it("is rejected or accepted like the same text parsed at once, wherever it is damaged", () => {
    const text = envelope(450);
    const random = createRandom(7);
    for (let round = 0; round < 120; round++) {
      // Mostly at the ends, where the envelope is.
      const place = Math.floor(random() * 600);
      const at = round % 3 === 0 ? place : round % 3 === 1 ? text.length - place : place * 300;
      const unit = ["", ",", "}", "]", '"', ":", "1", "{", "[", " ", "\\", "e"][round % 12];
      const damaged = text.slice(0, at) + unit + text.slice(at + (random() < 0.5 ? 1 : 0));
      assert.deepEqual(inPieces(damaged).outcome, atOnce(damaged), `at ${at}: ${unit}`);
    }
  });

  it("keeps the last of two fields with the same name, and treats a field called __proto__ as a field", () => {
    const long = `"${"x".repeat(200_000)}"`;
    for (const text of [
      `{"a": ${long}, "a": [1]}`,
      `{"__proto__": {"b": ${long}}, "c": 1}`,
      `  ${long} `,
      `{"a": ${long}, }`,
      `{"a": ${long}} x`,
      `[${long}`,
    ])
      assert.deepEqual(inPieces(text).outcome, atOnce(text), text.slice(0, 20));
  });

  it("keeps a long number wherever it starts, next to numbers with up to 15 digits", () => {
    const [short, long] = ["9".repeat(15), "9".repeat(16)];
    for (let indent = 0; indent < 20; indent++) {
      const text = `${" ".repeat(indent)}[${short},${long},${short}]`;
      assert.deepEqual(parseExactJson(text), [Number(short), long, Number(short)]);
    }
  });
});
