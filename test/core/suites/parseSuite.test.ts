import assert from "node:assert/strict";
import { parseSuite } from "../../../src/core/suites/parseSuite.ts";
import { positionIn } from "../../../src/core/suites/sourceNode.ts";
import type { Suite } from "../../../src/core/suites/suite.ts";
import { readYaml } from "../../../src/workers/suites/readYaml.ts";

/** The problems as `line:column sentence`, and the suite. */
function parse(source: string): { readonly suite: Suite; readonly problems: readonly string[] } {
  const yaml = readYaml(source);
  if ("problem" in yaml) throw new Error(yaml.problem.message);
  const creative = { name: "Creative", parameters: { temperature: 1 } };
  const { suite, problems } = parseSuite(yaml.root, [creative]);
  return {
    suite,
    problems: problems.map(({ range, message }) => {
      const { line, column } = positionIn(source, range.start);
      return `${line}:${column} ${message}`;
    }),
  };
}

describe("A prompt suite", () => {
  it("is read with models, presets, variables, messages and all kinds of checks", () => {
    const { suite, problems } = parse(`
profile: staging
models: [lab/a, lab/b]
concurrency: 2
variables: { product: VS Code }
presets:
  - Creative
  - name: precise
    system: You know {{product}}.
    parameters: { temperature: 0, max_tokens: 50 }
judge: { model: lab/judge, minScore: 3 }
checks:
  - maxTotalMs: 5000
cases:
  - name: greets
    prompt: "Say hello to {{ product }}"
    attachments: [images/a.png]
    checks:
      - contains: [hello, "{{product}}"]
      - equals: { text: HELLO, ignoreCase: true }
      - matches: ^\\w+
      - notMatches: { pattern: error, flags: i }
      - jsonSchema: { type: object }
      - jsonSchema: schemas/a.json
      - maxCost: { amount: 0.01, currency: eur }
      - judge: Is friendly to {{product}}
      - accepted
  - messages:
      - { role: user, content: Hi }
      - { role: assistant, content: Hello }
      - { content: "Again, please" }
    models: lab/c
    presets: [Creative]
    parameters: { seed: 7 }
`);
    assert.deepEqual(problems, []);
    const [first, second] = suite.cases;
    assert.equal(suite.profile, "staging");
    assert.deepEqual(first?.messages[0]?.text, "Say hello to VS Code");
    assert.deepEqual(
      first?.checks.map(({ type }) => type),
      [
        ...["maxTotalMs", "contains", "contains", "equals", "matches", "notMatches"],
        ...["jsonSchema", "jsonSchema", "maxCost", "judge", "accepted"],
      ],
    );
    assert.deepEqual(first?.presets, [
      { name: "Creative", parameters: { temperature: 1 } },
      { name: "precise", system: "You know VS Code.", parameters: { temperature: 0, max_tokens: 50 } },
    ]);
    assert.equal(second?.name, "Again, please");
    assert.deepEqual(second?.models, ["lab/c"]);
    assert.deepEqual(second?.presets, [{ name: "Creative", parameters: { temperature: 1, seed: 7 } }]);
  });

  it("lets a case choose among its own presets by name, before those of the settings", () => {
    const { suite, problems } = parse(`
presets:
  - { name: Creative, system: Be brief. }
  - { name: precise, parameters: { temperature: 0 } }
cases:
  - { name: a, prompt: b, presets: [precise] }
  - { name: c, prompt: d, presets: [Creative, { name: own, system: Be kind. }] }
`);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      suite.cases.map(({ presets }) => presets),
      [
        [{ name: "precise", parameters: { temperature: 0 } }],
        [
          { name: "Creative", system: "Be brief.", parameters: {} },
          { name: "own", system: "Be kind.", parameters: {} },
        ],
      ],
    );
  });

  it("is written as JSON, too", () => {
    const { suite, problems } = parse(`{ "cases": [{ "name": "a", "prompt": "b" }] }`);
    assert.deepEqual([problems, suite.cases[0]?.name], [[], "a"]);
  });

  it("reports every mistake at its line and column", () => {
    const { problems } = parse(`modles: [a]
cases:
  - name: one
    prompt: "Hi {{nobody}}"
    checks:
      - contians: x
      - matches: "("
      - maxTotalMs: soon
      - matches: { pattern: a, flags: g }
  - name: one
    prompt: Again
  - name: three
  - name: four
    prompt: a
    messages: []
    presets: [Unknown]
    attachments: [/etc/passwd, "C:\\\\x", "https://example.com/x"]
    parameters: { model: b }
`);
    const known = "contains, notContains, equals, matches, notMatches, jsonSchema";
    assert.deepEqual(problems.slice(1), [
      `4:14 There is no variable named “nobody”.`,
      `6:9 “contians” isn't supported here. Supported keys: ${known}, maxFirstTokenMs, maxTotalMs, maxCost, judge, accepted`,
      `7:19 This isn't a valid regular expression: Invalid regular expression: /(/u: Unterminated group`,
      `8:21 This must be a number from 1 to 3600000.`,
      `9:39 Flags can be “i”, “m”, and “s”.`,
      `10:5 A case named “one” already exists.`,
      `12:5 A case needs either “prompt” or “messages”.`,
      `13:5 A case needs either “prompt” or “messages”.`,
      `16:15 There is no preset named “Unknown”.`,
      `17:19 This must be a path relative to the folder of this file, with “/”.`,
      `17:33 This must be a path relative to the folder of this file, with “/”.`,
      `17:42 This must be a path relative to the folder of this file, with “/”.`,
      `18:19 “model” can't be set here because each request sets its own value.`,
    ]);
    assert.match(
      problems[0] ?? "",
      /^1:1 “modles” isn't supported here\. Supported keys: version, profile, models/,
    );
  });

  it("replaces variables once, so that a prompt with braces can be a variable", () => {
    const { suite } = parse(`cases:
  - prompt: "Explain {{x}}"
    variables: { x: "{{x}} and {{y}}" }
`);
    assert.equal(suite.cases[0]?.messages[0]?.text, "Explain {{x}} and {{y}}");
  });
});

describe("A prompt suite in hostile YAML", () => {
  const problemOf = (source: string): string => {
    const yaml = readYaml(source);
    return "problem" in yaml ? yaml.problem.message : "none";
  };

  it("is refused when its aliases would multiply", () => {
    const levels = Array.from({ length: 30 }, (_, level) => {
      const next = level === 0 ? "lol" : `*a${level - 1}`;
      return `a${level}: &a${level} [${Array(10).fill(next).join(", ")}]`;
    });
    assert.match(problemOf(levels.join("\n")), /too large once its aliases are replaced/);
    const texts = Array.from({ length: 10_000 }, () => "- *t");
    assert.match(problemOf(`- &t ${"x".repeat(5_000)}\n${texts.join("\n")}`), /too large once its aliases/);
  });

  it("is refused for everything that isn't plain data, with the position of each problem", () => {
    assert.match(problemOf("a: !!js/function 'x'"), /The tag “!!js\/function” isn't supported/);
    assert.match(problemOf("a: &x [*x]"), /has no matching anchor before it/);
    assert.match(problemOf("a: 1\na: 2"), /The key “a” occurs twice/);
    assert.match(problemOf("--- 1\n--- 2"), /a single YAML document/);
    assert.match(problemOf("[".repeat(10_000)), /maxDepth/);
    assert.match(problemOf("? [a, b]\n: c"), /A key must be text/);
    assert.match(problemOf("a: 'open"), /isn't valid YAML/);
  });

  it("treats keys such as __proto__ as ordinary keys, and keeps numbers as they were written", () => {
    const { suite } = parse(`cases:
  - prompt: 1.10
    parameters: { __proto__: { polluted: true }, version: "1.10" }
`);
    assert.equal(suite.cases[0]?.messages[0]?.text, "1.10");
    assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
    assert.equal(suite.cases[0]?.presets[0]?.parameters["version"], "1.10");
  });
});
