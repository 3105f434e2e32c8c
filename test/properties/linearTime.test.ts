import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import type { JsonRecord } from "../../src/core/kernel/json.ts";
import type { Server } from "../../src/core/servers/server.ts";
import { factNames } from "../../src/core/servers/serverFacts.ts";
import { readWords } from "../../src/gateway/errors/phrases.ts";
import { RecordView } from "../../src/gateway/servers/recordView.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What parsers search for, go back to, or count. Text of each is tried in the form that never ends. */
const units = [
  ..." \t\r\n\\/\"'`<>()[]{}&*_~=:;,.?!@#$%^|+-0aZé\u0301\u200B\u3000😀\uD800",
  ...[
    "a ",
    "a.",
    "a-",
    "a=b ",
    "a: b\n",
    'a="',
    "a:b,",
    "x@",
    "1,",
    "0.",
    "\\\\",
    "\\n",
    "\\u0041",
    "%41",
    "%",
  ],
  ...[
    '{"a":',
    "[[",
    "[1,",
    "{}\n",
    '"a",',
    "</",
    "<a ",
    "<!--",
    "<a>",
    "&a;",
    "[a](",
    "![",
    "``",
    "~~~\n",
    "$$",
    "${",
  ],
  ...[
    "data: x\n",
    "data:\n\n",
    "http://a",
    "//",
    "/a",
    "key=",
    "token: ",
    "Bearer ",
    "-----BEGIN ",
    "sk-",
    "--a ",
  ],
  ...[
    "a\n\n",
    "# a\n",
    "- a\n",
    "|a",
    "| - ",
    "> ",
    "é ",
    "的",
    "שלום ",
    "\u061C",
    "\uFE0F",
    "1970-01-01T",
    "12:34:",
  ],
];

/** Code units of the first try. Quadratic work takes 64 million steps for them. */
const length = 8_000;
/** Linear work takes four times as long for four times the text, quadratic work sixteen times. */
const [factor, mostTimes] = [4, 9];
/** Less CPU time than this can't be quadratic. Some systems count that of a thread in ticks of 4 ms. */
const noticeableMs = 8;

interface Candidate {
  readonly file: string;
  readonly name: string;
  readonly parameters: readonly string[];
}

type ForeignTextFunction = (...values: readonly unknown[]) => unknown;

/** The exported functions that take text, or what was parsed from it, and otherwise only plain values. */
function candidates(): readonly Candidate[] {
  return globSync("src/{core,gateway}/**/*.ts", { cwd: root })
    .toSorted()
    .flatMap((file) => {
      const source = ts.createSourceFile(
        file,
        readFileSync(`${root}${file}`, "utf8"),
        ts.ScriptTarget.Latest,
        true,
      );
      return source.statements.filter(ts.isFunctionDeclaration).flatMap((declared) => {
        const isExported = declared.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
        const isAsync = /^(?:Promise|Async)/.test(declared.type?.getText() ?? "");
        if (isExported !== true || isAsync || declared.name === undefined) return [];
        const parameters = declared.parameters
          .filter((each) => each.initializer === undefined && each.questionToken === undefined)
          .map((each) => each.type?.getText() ?? "");
        const isPlain = parameters.every((type) => type in values);
        const hasText = parameters.some((type) => !/^(?:number|boolean)$/.test(type));
        return isPlain && hasText ? [{ file, name: declared.name.text, parameters }] : [];
      });
    });
}

/** What is passed for a parameter of each type. */
const values: Readonly<Record<string, (text: string) => unknown>> = {
  string: (text) => text,
  unknown: (text) => text,
  "string | undefined": (text) => text,
  "readonly string[]": (text) => [text, text],
  number: () => 1_000,
  boolean: () => true,
  JsonRecord: record,
  "Readonly<Record<string, unknown>>": record,
  Headers: (text) => ({ [text]: text, "retry-after": text, date: text }),
  Uint8Array: (text) => Buffer.from(text),
  Words: readWords,
  RecordView: (text) => new RecordView(record(text)),
  Server: serverOf,
  "readonly Server[]": (text) => [serverOf(text), serverOf(text)],
  "ServerFact | undefined": (text) => ({ value: text, source: text }),
};

/** A record with a long text and a long name. */
function record(text: string): JsonRecord {
  return { name: text, [text]: 1 };
}

/** A server whose facts are the text, and whose record contains it. */
function serverOf(text: string): Server {
  const facts = Object.fromEntries(factNames.map((name) => [name, { value: text, source: text }]));
  return { ...facts, key: text, status: "running", record: record(text) };
}

/** CPU time of this thread in milliseconds, which doesn't depend on what else the machine does. */
function usedMs(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

describe("Every exported function that takes foreign text", function () {
  this.timeout(900_000);

  it("takes linear time, whatever is repeated in it", async () => {
    const found = candidates();
    assert.ok(found.length > 350, String(found.length));
    const slow: string[] = [];
    for (const { file, name, parameters } of found) {
      const module: Readonly<Record<string, ForeignTextFunction>> = await import(
        pathToFileURL(`${root}${file}`).href
      );
      const call = (unit: string, units: number): void => {
        const text = unit.repeat(Math.ceil(units / unit.length));
        try {
          module[name]?.(...parameters.map((type) => values[type]?.(text)));
        } catch (error) {
          // What it says about such text is tested elsewhere, but no text may exhaust the stack.
          if (error instanceof RangeError)
            slow.push(`${file} ${name}: ${JSON.stringify(unit)} ${error.message}`);
        }
      };
      for (const unit of units) {
        if (usedMs(() => call(unit, length)) < noticeableMs) continue;
        const [few, many] = [usedMs(() => call(unit, length)), usedMs(() => call(unit, length * factor))];
        if (many < Math.max(few, noticeableMs) * mostTimes) continue;
        const most = usedMs(() => call(unit, length * factor * factor));
        if (most < many * mostTimes) continue;
        slow.push(
          `${file} ${name}: ${JSON.stringify(unit)} takes ${few.toFixed(0)}, ${many.toFixed(0)} and ${most.toFixed(0)} ms`,
        );
        break;
      }
    }
    assert.deepEqual(slow, []);
  });
});
