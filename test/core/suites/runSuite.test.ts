import assert from "node:assert/strict";
import type { CompletionPort } from "../../../src/core/conversation/completion.ts";
import type { ServiceError } from "../../../src/core/kernel/errors.ts";
import { Redaction } from "../../../src/core/account/redaction.ts";
import { junitReport } from "../../../src/core/suites/junit.ts";
import { AcceptedResponses, formatResult, parseResults } from "../../../src/core/suites/results.ts";
import type { CellResult } from "../../../src/core/suites/results.ts";
import { startCells } from "../../../src/core/suites/runSuite.ts";
import type { SuiteRun, SuiteRunOptions } from "../../../src/core/suites/runSuite.ts";
import type { SuiteCell } from "../../../src/core/suites/suite.ts";
import { createInferenceClient } from "../../../src/gateway/completion/inferenceClient.ts";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import { ThreadValidator } from "../../../src/workers/responses/threadValidator.ts";
import { startServer } from "../../support/httpServer.ts";
import { suiteCells } from "../../support/promptSuite.ts";
import { createTestTransport } from "../../support/testTransport.ts";

const validator = new ThreadValidator({
  thread: new URL("../../../src/workers/responses/validatorThread.ts", import.meta.url),
  timeLimit: 500,
});

const models = [
  "demo-lab/echo-omni",
  "demo-lab/json-writer",
  "demo-lab/markdown-showcase",
  "demo-lab/tool-caller",
];

/** 100 prompts, some of which fail. */
const hundred = `models: [${models.join(", ")}]
cases:
${Array.from(
  { length: 100 },
  (_, index) => `  - name: case ${index}
    prompt: "Prompt number ${index}"
    checks:
      - contains: { text: "${index % 3 === 0 ? "number" : "e"}", ignoreCase: true }`,
).join("\n")}
`;

function verdicts(results: ReadonlyMap<string, CellResult>): string {
  return [...results.values()]
    .map(({ key, outcome, failures }) => `${key} ${outcome} ${failures.map(({ message }) => message).join()}`)
    .toSorted()
    .join("\n");
}

describe("A run of a prompt suite", () => {
  const transport = createTestTransport();
  let gateway: RunningLocalGateway;
  let requests = 0;

  before(async () => {
    gateway = await startLocalGateway({
      tokensPerSecond: 0,
      seed: 5,
      onRequest: ({ path }) => {
        if (path.endsWith("/chat/completions")) requests++;
      },
    });
  });
  beforeEach(() => {
    requests = 0;
  });
  after(async () => {
    validator.dispose();
    await transport.close();
    await gateway.stop();
  });

  const portTo = (baseUrl: string): CompletionPort =>
    createInferenceClient({
      transport,
      baseUrl,
      readApiKey: async () => gateway.credentials.apiKey,
      timeoutMs: () => 30_000,
      userAgent: "inference-gateway/test",
      allowInsecureHttp: false,
      random: () => 0,
      retryPolicy: () => ({ maxAttempts: 1, baseDelayMs: 1, maxDelayMs: 1, maxServerWaitMs: 1 }),
    });

  interface Started extends SuiteRun {
    readonly results: Map<string, CellResult>;
  }

  function start(cells: readonly SuiteCell[], options: Partial<SuiteRunOptions> = {}): Started {
    const results = new Map<string, CellResult>();
    const run = startCells(cells, {
      port: portTo(gateway.inferenceBaseUrl),
      validator,
      locale: "en",
      concurrency: 4,
      priceOf: () => ({ input: 1, output: 1, currency: "USD" }),
      redact: (text) => text,
      monotonic: () => performance.now(),
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 20))),
      onStart: () => undefined,
      onResult: (cell, result) => void results.set(cell.key, result),
      ...options,
    });
    return { ...run, results };
  }

  async function runAll(
    source: string,
    options: Partial<SuiteRunOptions> = {},
  ): Promise<{ readonly results: readonly CellResult[]; readonly error: ServiceError | undefined }> {
    const { ended, results } = start(suiteCells(source), options);
    const error = await ended;
    return { results: [...results.values()], error };
  }

  it("of 100 prompts and 4 models gives the same verdicts whether or not it was interrupted", async () => {
    const cells = suiteCells(hundred, { seed: 5 });
    assert.equal(cells.length, 400);
    const whole = start(cells);
    assert.equal(await whole.ended, undefined);
    assert.equal(whole.results.size, 400);
    assert.equal(requests, 400);

    requests = 0;
    let file = "";
    const interrupted = start(cells, {
      onResult: (_, result) => {
        file += formatResult(result, (text) => text);
        if (file.split("\n").length > 150) interrupted.stop();
      },
    });
    await interrupted.ended;
    // What a killed run leaves of its last line.
    const done = parseResults(`${file}{"key":"abc","outc`);
    assert.ok(done.size >= 149 && done.size < 400, String(done.size));
    const rest = start(cells.filter(({ key }) => !done.has(key)));
    await rest.ended;
    assert.equal(verdicts(new Map([...done, ...rest.results])), verdicts(whole.results));
    // Only requests that were running at the interruption are sent twice.
    assert.ok(requests <= 400 + 4, String(requests));
  });

  it("applies every check to the response", async () => {
    const { results } = await runAll(`models: [demo-lab/echo-omni]
cases:
  - name: passes
    prompt: Hello there
    checks:
      - contains: Hello there
      - notContains: goodbye
      - matches: { pattern: "^i am the ECHO", flags: i }
      - notMatches: \\d{9}
      - maxCost: 1
      - maxTotalMs: 600000
      - maxFirstTokenMs: 600000
  - name: fails
    prompt: Hello there
    checks:
      - contains: goodbye
      - notContains: Hello
      - equals: Something else
      - matches: ^x$
      - notMatches: echo
      - maxCost: 0
      - maxCost: { amount: 1, currency: EUR }
      - jsonSchema: { type: object }
      - accepted
`);
    assert.deepEqual(results[0]?.failures, []);
    assert.deepEqual(
      results[1]?.failures.map(({ check }) => check),
      [
        ...["contains", "notContains", "equals", "matches", "notMatches", "maxCost", "maxCost"],
        ...["jsonSchema", "accepted"],
      ],
    );
    assert.equal(results[1]?.failures[2]?.expected, "Something else");
  });

  it("validates JSON, and asks a judge for its verdict", async () => {
    const { results } = await runAll(`models: [demo-lab/json-writer]
cases:
  - name: json
    prompt: Write JSON
    parameters:
      response_format: { type: json_object }
    checks:
      - jsonSchema: { type: object }
      - jsonSchema: { type: object, required: [neverThere] }
  - name: judged
    prompt: Write JSON
    checks:
      - judge: Is about weather
      - judge: { criterion: Is about rain, minScore: 1000000 }
      - judge: { criterion: Has no verdict, schema: { type: object } }
`);
    assert.deepEqual(
      results.map(({ failures }) => failures.map(({ message }) => message.replace(/:.*/s, ""))),
      [
        ["The response doesn't match the JSON Schema"],
        // The demo model's verdicts depend on the seed alone: it accepts the first criterion.
        [
          "The judge scored the response 31.5, but at least 1000000 is required",
          "The judge rejected the response",
        ],
      ],
    );
  });

  it("stops a regular expression that would take forever, and continues", async () => {
    const { results } = await runAll(`models: [demo-lab/echo-omni]
cases:
  - name: hostile
    prompt: ${"a".repeat(60)}!
    checks:
      - matches: (a+)+$
      - contains: echo
`);
    assert.deepEqual(
      results[0]?.failures.map(({ message }) => message),
      ["The regular expression (a+)+$ took too long and was stopped."],
    );
  });

  it("ends immediately with the first error that would affect every request", async () => {
    const server = await startServer((_, response) => response.writeHead(401).end("{}"));
    const { results, error } = await runAll(hundred, { port: portTo(`${server.url}/v1`) });
    await server.close();
    assert.equal(error?.reason, "apiKey");
    assert.ok(results.length <= 4, String(results.length));
    assert.ok(results.every(({ outcome }) => outcome === "error"));
  });

  it("continues more slowly when the server reports too many requests, and loses none", async () => {
    let refusals = 6;
    let [running, most] = [0, 0];
    const server = await startServer((_, response) => {
      if (refusals-- > 0) {
        response.writeHead(429, { "retry-after": "0" }).end("{}");
        return;
      }
      most = Math.max(most, ++running);
      setTimeout(() => {
        running--;
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(
          'data: {"choices":[{"delta":{"content":"e"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
        );
      }, 1);
    });
    const { results, error } = await runAll(hundred.replace(/demo-lab\/json.*caller/, "x"), {
      port: portTo(`${server.url}/v1`),
      concurrency: 8,
    });
    await server.close();
    assert.equal(error, undefined);
    assert.equal(results.length, 200);
    assert.ok(most < 8, String(most));
    assert.ok(results.every(({ outcome }) => outcome !== "error"));
  });

  it("repeats a rate-limited request after all other requests have ended", async () => {
    const sent: string[] = [];
    const server = await startServer(async (request, response) => {
      const body = (await request.toArray()).join("");
      const isSlow = body.includes("slow");
      sent.push(isSlow ? "slow" : "fast");
      if (isSlow && sent.filter((name) => name === "slow").length === 1) {
        // The other request has ended long before.
        await new Promise((resolve) => setTimeout(resolve, 150));
        response.writeHead(429, { "retry-after": "0" }).end("{}");
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        'data: {"choices":[{"delta":{"content":"e"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      );
    });
    const { results } = await runAll("models: [a/b]\ncases: [{ prompt: fast }, { prompt: slow }]", {
      port: portTo(`${server.url}/v1`),
      concurrency: 2,
    });
    await server.close();
    assert.deepEqual(sent.toSorted(), ["fast", "slow", "slow"]);
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ["passed", "passed"],
    );
  });

  it("ends when the server asks to wait for hours", async () => {
    const server = await startServer((_, response) =>
      response.writeHead(429, { "retry-after": "86400" }).end("{}"),
    );
    const { results, error } = await runAll(hundred, { port: portTo(`${server.url}/v1`), concurrency: 1 });
    await server.close();
    assert.equal(error?.reason, "rateLimit");
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ["error"],
    );
  });

  it("asks no more judges when it is stopped", async () => {
    const sent: string[] = [];
    const server = await startServer(async (request, response) => {
      const body = (await request.toArray()).join("");
      sent.push(body);
      if (body.includes("judge-model")) return void stop();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        'data: {"choices":[{"delta":{"content":"e"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      );
    });
    const { ended, stop, results } = start(
      suiteCells(
        "models: [a/b]\njudge: { model: judge-model }\ncases: [{ prompt: a, checks: [{ judge: b }, { judge: c }] }]",
      ),
      { port: portTo(`${server.url}/v1`) },
    );
    await ended;
    await server.close();
    assert.equal(sent.length, 2);
    assert.equal(results.size, 0);
  });

  it("closes its sockets when it is stopped, and reports nothing for requests that were running", async () => {
    const { ended, stop, results } = start(
      suiteCells("models: [demo-faults/silent-for-ten-minutes]\ncases: [{ prompt: a }, { prompt: b }]"),
    );
    setTimeout(stop, 100);
    assert.equal(await ended, undefined);
    assert.equal(results.size, 0);
  });
});

describe("The results of a prompt suite", () => {
  const secret = "sk-canary-0123456789abcdef";
  const redaction = new Redaction();
  redaction.remember(secret);
  const [parsed] = suiteCells("models: [a/b]\ncases: [{ name: x, prompt: p }]");
  const cells =
    parsed === undefined ? [] : [{ ...parsed, test: { ...parsed.test, name: 'x <y> "z" &\u0007' } }];
  const [cell] = cells;
  const result: CellResult = {
    key: cell?.key ?? "",
    outcome: "failed",
    failures: [
      { check: "equals", range: { start: 0, end: 1 }, message: `no ${secret}`, expected: `e ${secret}` },
    ],
    response: `]]> <b> ${secret} \ud800 &amp;`,
    totalMs: 5,
  };

  it("never contain a secret", () => {
    const report = { path: "a.prompts.yaml", cells, results: new Map([[result.key, result]]) };
    const texts = [
      formatResult(result, (text) => redaction.redact(text)),
      formatResult({ ...result, outcome: "error", error: secret }, (text) => redaction.redact(text)),
      junitReport([report], (text) => redaction.redact(text)),
    ];
    for (const text of texts) assert.ok(!text.includes("canary"), text);
  });

  it("are well-formed XML, whatever models write", () => {
    const report = { path: "a.prompts.yaml", cells, results: new Map([[result.key, result]]) };
    const xml = junitReport([report], (text) => text);
    assert.match(xml, /tests="1" failures="1" errors="0" skipped="0"/);
    assert.match(xml, /name="x &lt;y&gt; &quot;z&quot; &amp;\ufffd \[a\/b\]"/);
    assert.match(xml, /\]\]&gt; &lt;b&gt; sk-canary-0123456789abcdef \ufffd &amp;amp;/);
    assert.match(
      junitReport([{ ...report, results: new Map() }], (text) => text),
      /<skipped\/>/,
    );
  });

  it("of accepted responses are sorted and survive being written and read", () => {
    const entry = { case: "b", model: "m", preset: "", response: "r" };
    const accepted = AcceptedResponses.parse("")?.with([entry, { ...entry, case: "a" }]);
    const text = accepted?.format() ?? "";
    assert.ok(text.indexOf('"case": "a"') < text.indexOf('"case": "b"'));
    assert.equal(AcceptedResponses.parse(text)?.find("b", "m", ""), "r");
    assert.equal(AcceptedResponses.parse("[]"), undefined);
  });
});
