import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import { runPromptSuites } from "../../../src/promptSuites.ts";

const thread = new URL("../../../src/workers/responses/validatorThread.ts", import.meta.url);

const suite = `models: [demo-lab/echo-omni, demo-lab/json-writer]
cases:
  - name: texts
    prompt: Hello
    checks: [{ contains: Hello }]
  - name: starts
    prompt: Hello
    checks: [{ matches: ^I }]
  - name: judged
    prompt: Hello
    checks: [{ judge: { criterion: Is polite, model: demo-lab/json-writer } }]
`;

describe("The command line for prompt suites", () => {
  const { env } = process;
  let gateway: RunningLocalGateway;
  let folder: string;
  let requests = 0;
  let output = "";

  before(async () => {
    gateway = await startLocalGateway({
      tokensPerSecond: 0,
      seed: 9,
      onRequest: ({ path }) => {
        if (path.endsWith("/chat/completions")) requests++;
      },
    });
  });
  beforeEach(() => {
    requests = 0;
    folder = mkdtempSync(join(tmpdir(), "prompt-suites-"));
    writeFileSync(join(folder, "a.prompts.yaml"), suite);
    env["INFERENCE_API_KEY"] = gateway.credentials.apiKey;
  });
  afterEach(() => {
    delete env["INFERENCE_API_KEY"];
    rmSync(folder, { recursive: true, force: true });
  });
  after(() => gateway.stop());

  /** Resolves to the exit code. What is printed is in `output`. */
  async function run(...args: readonly string[]): Promise<number> {
    const { stdout, stderr } = process;
    const [writeOut, writeErr] = [stdout.write.bind(stdout), stderr.write.bind(stderr)];
    output = "";
    const collect = (text: string | Uint8Array): boolean => {
      output += String(text);
      return true;
    };
    stdout.write = collect;
    stderr.write = collect;
    try {
      return await runPromptSuites(["--profile-url", gateway.inferenceBaseUrl, ...args], thread);
    } finally {
      stdout.write = writeOut;
      stderr.write = writeErr;
    }
  }

  const file = (name: string): string => join(folder, name);

  it("gives the same verdicts for the same seed, and returns 1 if a check fails", async () => {
    assert.equal(await run("--seed", "4", "--junit", file("1.xml"), file("a.prompts.yaml")), 1);
    assert.match(output, /failed, 0 errors, 0 not run/);
    assert.equal(await run("--seed", "4", "--junit", file("2.xml"), file("a.prompts.yaml")), 1);
    const [first, second] = ["1.xml", "2.xml"].map((name) =>
      readFileSync(file(name), "utf8").replace(/ time="[^"]*"/g, ""),
    );
    assert.equal(first, second);
    assert.match(first ?? "", /tests="6" failures="[1-5]" errors="0" skipped="0"/);
  });

  it("continues from its file of results without sending anything twice, even after an incomplete line", async () => {
    const args = ["--resume", file("results.jsonl"), file("a.prompts.yaml")];
    await run("--case", "texts", ...args);
    assert.equal(requests, 2);
    writeFileSync(file("results.jsonl"), `${readFileSync(file("results.jsonl"), "utf8")}{"key":"x`);
    await run(...args);
    // The last two cases, one of which also asks a judge.
    assert.equal(requests, 2 + 2 + 4);
    await run(...args);
    assert.equal(requests, 8);
  });

  it("sends each case once to a model that is named twice", async () => {
    const models = ["--model", "demo-lab/echo-omni", "--model", "demo-lab/echo-omni"];
    await run(...models, "--case", "texts", file("a.prompts.yaml"), file("a.prompts.yaml"));
    assert.equal(requests, 1);
  });

  it("accepts responses for later runs", async () => {
    writeFileSync(
      file("b.prompts.yaml"),
      "models: demo-lab/echo-omni\ncases: [{ name: a, prompt: b, checks: [accepted] }]",
    );
    assert.equal(await run(file("b.prompts.yaml")), 1);
    await run("--accept", file("b.prompts.yaml"));
    assert.equal(await run(file("b.prompts.yaml")), 0);
  });

  it("sends nothing and returns 2 for mistakes, and reports the position of each", async () => {
    writeFileSync(file("b.prompts.yaml"), "cases:\n  - prompt: a\n    chekcs: []\n");
    assert.equal(await run(file("b.prompts.yaml")), 2);
    assert.match(output, /b\.prompts\.yaml:3:5: “chekcs” isn't supported here/);
    assert.equal(await run("--seed", "x", file("a.prompts.yaml")), 2);
    assert.equal(await run("--unknown", file("a.prompts.yaml")), 2);
    assert.equal(await run(), 2);
    assert.equal(await run("--max-requests", "3", file("a.prompts.yaml")), 2);
    assert.match(output, /needs 8 requests, more than --max-requests 3/);
    assert.equal(await run("--case", "misspelled", file("a.prompts.yaml")), 2);
    assert.match(output, /There are no cases to run/);
    assert.equal(requests, 0);
  });

  it("returns 3 without a valid key, and never shows one", async () => {
    env["INFERENCE_API_KEY"] = "sk-canary-4f1d2c3b5a69788776655";
    assert.equal(await run("--junit", file("j.xml"), "--resume", file("r.jsonl"), file("a.prompts.yaml")), 3);
    assert.match(output, /every remaining request would fail, too/);
    for (const text of [output, readFileSync(file("j.xml"), "utf8"), readFileSync(file("r.jsonl"), "utf8")])
      assert.ok(!text.includes("canary"), text);
  });

  it("keeps its key out of results even when a model repeats it", async () => {
    const key = gateway.credentials.apiKey;
    writeFileSync(
      file("b.prompts.yaml"),
      `models: demo-lab/echo-omni\ncases: [{ name: a, prompt: "repeat ${key}", checks: [{ equals: "${key}" }] }]`,
    );
    const args = ["--junit", file("j.xml"), "--resume", file("r.jsonl"), "--accept", file("b.prompts.yaml")];
    assert.equal(await run(...args), 1);
    const written = ["j.xml", "r.jsonl", "b.prompts.accepted.json"].map((name) =>
      readFileSync(file(name), "utf8"),
    );
    for (const text of [output, ...written]) assert.ok(!text.includes(key), text);
  });

  it("recognizes a response that contains its key as the accepted one, which is stored without the key", async () => {
    const prompt = `repeat ${gateway.credentials.apiKey}`;
    writeFileSync(
      file("b.prompts.yaml"),
      `models: demo-lab/echo-omni\ncases: [{ name: a, prompt: "${prompt}", checks: [accepted] }]`,
    );
    await run("--accept", file("b.prompts.yaml"));
    assert.equal(await run(file("b.prompts.yaml")), 0);
  });

  it("repeats only the cost checks when the prices have changed", async () => {
    writeFileSync(
      file("b.prompts.yaml"),
      [
        "models: demo-lab/echo-omni",
        "cases:",
        "  - { name: a, prompt: b, checks: [{ maxCost: { amount: 1, currency: USD } }] }",
        "  - { name: c, prompt: d, checks: [{ contains: d }] }",
      ].join("\n"),
    );
    const price = (output: number): void =>
      writeFileSync(
        file("prices.json"),
        JSON.stringify({ "demo-lab/echo-omni": { input: 0, output, currency: "USD" } }),
      );
    const args = ["--prices", file("prices.json"), "--resume", file("r.jsonl"), file("b.prompts.yaml")];
    price(1);
    assert.equal(await run(...args), 0);
    price(1_000_000);
    assert.equal(await run(...args), 1);
    assert.equal(requests, 3);
  });

  it("reads only files next to the suite or in the working directory", async () => {
    symlinkSync("/etc/hostname", file("link.txt"));
    const attached = (path: string): string =>
      `models: demo-lab/echo-omni\ncases: [{ name: a, prompt: b, attachments: [${path}] }]`;
    for (const path of ["link.txt", "../../../../../../etc/hostname"]) {
      writeFileSync(file("b.prompts.yaml"), attached(path));
      assert.equal(await run(file("b.prompts.yaml")), 2, path);
      assert.match(output, /outside the working directory/);
    }
    writeFileSync(file(".env"), "KEY=1");
    writeFileSync(file("b.prompts.yaml"), attached(".env"));
    assert.equal(await run(file("b.prompts.yaml")), 2);
    assert.match(output, /\.env can't be used: A file with this name usually contains keys or passwords/);
    writeFileSync(file("notes.txt"), "the notes");
    writeFileSync(file("b.prompts.yaml"), attached("notes.txt"));
    assert.equal(await run(file("b.prompts.yaml")), 0);
    assert.equal(requests, 1);
  });

  it("never mistakes the suite itself, or the target of a link, for its file of accepted responses", async () => {
    const text = '{"responses":[],"models":"demo-lab/echo-omni","cases":[{"name":"a","prompt":"b"}]}';
    writeFileSync(file("suite.json"), text);
    assert.equal(await run("--accept", file("suite.json")), 2);
    assert.match(output, /suite\.json isn't a prompt suite/);
    assert.equal(readFileSync(file("suite.json"), "utf8"), text);
    symlinkSync(file("elsewhere"), file("a.prompts.accepted.json"));
    assert.equal(await run("--accept", file("a.prompts.yaml")), 2);
    assert.match(output, /accepted\.json is a link/);
    assert.equal(existsSync(file("elsewhere")), false);
    assert.equal(requests, 0);
  });

  it("refuses a file that is too large, or that isn't a suite, without reading it", async () => {
    writeFileSync(file("large.txt"), "");
    truncateSync(file("large.txt"), 20_000_000_000);
    mkdirSync(file("folder"));
    for (const [name, reason] of [
      ["large.txt", /10 MB/],
      ["folder", /It isn't a file/],
    ] as const) {
      writeFileSync(
        file("b.prompts.yaml"),
        `models: demo-lab/echo-omni\ncases: [{ name: a, prompt: b, attachments: [${name}] }]`,
      );
      assert.equal(await run(file("b.prompts.yaml")), 2);
      assert.match(output, reason);
    }
  });
});
