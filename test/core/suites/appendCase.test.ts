import assert from "node:assert/strict";
import { appendCase } from "../../../src/core/suites/appendCase.ts";
import type { NewCase } from "../../../src/core/suites/appendCase.ts";
import { parseSuite } from "../../../src/core/suites/parseSuite.ts";
import type { SourceNode } from "../../../src/core/suites/sourceNode.ts";
import { readYaml } from "../../../src/workers/suites/readYaml.ts";
import { createRandom } from "../../support/random.ts";

function read(text: string): SourceNode | undefined {
  const yaml = readYaml(text);
  return "root" in yaml ? yaml.root : undefined;
}

const greeting: NewCase = {
  name: "Greets",
  model: "lab/a",
  parameters: {},
  messages: [{ role: "user", text: "Hi", attachments: [] }],
};

function append(text: string, test: Partial<NewCase> = {}, isJson = false): string {
  return appendCase(text, isJson, { ...greeting, ...test }, read).text;
}

describe("A response that is saved as a test", () => {
  it("starts a suite", () => {
    assert.equal(
      append(""),
      `cases:
  - name: "Greets"
    models: ["lab/a"]
    prompt: "Hi"
    checks: ["accepted"]
`,
    );
  });

  it("is added to a suite whose comments and formatting stay", () => {
    const before = `# Ours
models: [a]   # the small one
cases:
# first
- name: one   # comment
  prompt: |
    text

- prompt: 'two'  # last
# end
profile: x
`;
    const after = append(before, { system: "Be brief.", parameters: { temperature: 0 } });
    assert.equal(
      after,
      before.replace(
        "# last\n",
        `# last
- name: "Greets"
  models: ["lab/a"]
  system: "Be brief."
  parameters: {"temperature":0}
  prompt: "Hi"
  checks: ["accepted"]
`,
      ),
    );
  });

  it("is added to an empty list, to a suite without cases, and to JSON", () => {
    for (const text of ["cases:", "cases: []\n", "models: [b]", "cases: # none\n"])
      assert.match(append(text), /\n {2}- name: "Greets"\n/, text);
    assert.deepEqual(Object.keys(JSON.parse(append(`{"models":["b"],"cases":[]}`, {}, true))), [
      "models",
      "cases",
    ]);
  });

  it("keeps its own settings in a suite with presets, and gets its own name", () => {
    const suite = "presets: [{ name: x, system: Other }]\ncases:\n  - { name: Greets, prompt: a }\n";
    const { added } = appendCase(suite, false, greeting, read);
    assert.equal(added.name, "Greets (2)");
    assert.deepEqual(added.presets, [{ name: "saved", parameters: {} }]);
  });

  it("isn't added if the result would differ from what was saved", () => {
    for (const text of [
      "cases: [{ prompt: a }]",
      "cases:\n  - {\n    prompt: a\n    }\n",
      "- a",
      "a: [",
      "cases: x",
    ])
      assert.throws(() => append(text), /can't be added to this suite/, text);
  });

  it("keeps every message, whatever it contains", () => {
    const random = createRandom(7);
    const pieces = [
      "\n",
      "\n\n",
      " ",
      "\t",
      "#",
      ":",
      "- ",
      "{{x}}",
      "{{ y }}",
      '"',
      "'",
      "|",
      "é",
      "\u2028",
      "\u0000",
      "\ud83d\ude00",
      "---",
      "word",
      "*a",
      "&b",
      "%",
    ];
    for (let round = 0; round < 300; round++) {
      const texts = Array.from(
        { length: 1 + Math.floor(random() * 3) },
        () =>
          `m${Array.from({ length: Math.floor(random() * 12) }, () => pieces[Math.floor(random() * pieces.length)]).join("")}`,
      );
      const messages = texts.map((text, index) => ({
        role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
        text,
        attachments: [],
      }));
      const { text } = appendCase("cases:\n  - prompt: first\n", false, { ...greeting, messages }, read);
      const root = read(text);
      assert.ok(root !== undefined);
      const { suite, problems } = parseSuite(root);
      assert.deepEqual(problems, []);
      assert.deepEqual(
        suite.cases.at(-1)?.messages.map((message) => message.text),
        texts,
      );
    }
  });
});
