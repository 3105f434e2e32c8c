import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "js-yaml";
import ts from "typescript";
import type { Profile } from "../../../../src/core/account/profile.ts";
import { isRecord } from "../../../../src/core/kernel/json.ts";
import { setupFacts } from "../../../../src/core/responses/setup/setupFacts.ts";
import { setupChoices, setupText } from "../../../../src/core/responses/setup/setups.ts";
import type { SetupId } from "../../../../src/core/responses/setup/setups.ts";
import { startLocalGateway } from "../../../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../../../src/localGateway/service/startLocalGateway.ts";
import { gatewayProfile } from "../../../support/gatewayProfile.ts";
import { readRequestBody, startServer } from "../../../support/httpServer.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const key = "sk-key-that-is-never-copied";
/** Everything that ends a text, or starts something else, in one of the languages. */
const nasty = `org/it's "$(id)" \`id\` $HOME !! \\ #{x} ' : - & * % @ 漢字 🙂 \u202e`;

function write(
  id: SetupId,
  profile: Partial<Profile>,
  model = "demo-lab/echo-omni",
  hasKey = true,
  lastMessage?: string,
): string {
  const facts = setupFacts({ ...gatewayProfile, ...profile }, { id: model }, hasKey, lastMessage);
  assert.ok(facts !== undefined);
  const setup = setupText(id, facts);
  assert.ok("text" in setup, "problem" in setup ? setup.problem : "");
  return setup.text;
}

/** Runs the text with an interpreter that reads it from its standard input. */
async function run(
  command: readonly [string, ...string[]],
  text: string,
  environment: Readonly<Record<string, string>> = { INFERENCE_API_KEY: key },
): Promise<string> {
  const [name, ...args] = command;
  const child = spawn(name, args, {
    cwd: root,
    env: { PATH: process.env["PATH"], HOME: "/nowhere", ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let [output, errors] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  child.stdin.end(text);
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 0, `${text}\n${errors}`);
  return output;
}

const node = [process.execPath, "--input-type=module", "-"] as const;
const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** Runs a Python program with a module of this name that prints the arguments of its calls. */
async function runPython(module: string, text: string): Promise<readonly unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), "setup-"));
  const stub = `
import json, sys
class Recorder:
    def __init__(self, **options): print(json.dumps(options))
    def __getattr__(self, name): return self
    def create(self, **options): print(json.dumps(options)); return [] if options.get("stream") else self
    def stream(self, text): print(json.dumps(text)); return []
    def invoke(self, text): print(json.dumps(text)); return self
    @property
    def content(self): return '"text"'
    def __getitem__(self, index): return self
    def __str__(self): return '"text"'
OpenAI = ChatOpenAI = Recorder
`;
  writeFileSync(join(folder, `${module}.py`), stub);
  const environment = { INFERENCE_API_KEY: key, PYTHONPATH: folder, PYTHONIOENCODING: "utf8" };
  const output = await run(["python3", "-"], text, environment);
  return output
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}

const url = "https://inference.example/it's/v1?api-version=2&x=%22%24(id)";
const headers = { "X-Team": `it's "$(id)" \`id\` \\` };
const remote = { name: `Lab "1"`, inferenceBaseUrl: url, headers };

describe("The setup for another client", () => {
  let gateway: RunningLocalGateway;

  before(async () => {
    gateway = await startLocalGateway({ tokensPerSecond: 0 });
  });

  after(async () => gateway.stop());

  for (const [id, command] of [
    ["curl", ["bash", "-s"]],
    ["javascriptOpenai", node],
    ["javascriptAi", node],
  ] as const) {
    for (const stream of [true, false]) {
      it(`gets a ${stream ? "streamed" : "whole"} response from the local gateway with ${id}`, async () => {
        const profile = { inferenceBaseUrl: `${gateway.inferenceBaseUrl}/`, models: { "*": { stream } } };
        const text = write(id, profile);
        const output = await run(command, text, { INFERENCE_API_KEY: gateway.credentials.apiKey });
        assert.match(output, /Hello/);
      });
    }

    it(`never sends the key of another service with ${id}`, async () => {
      const received: unknown[] = [];
      const server = await startServer((request, response) => {
        received.push(request.headers.authorization);
        response.writeHead(200, { "content-type": "application/json" });
        const message = { role: "assistant", content: "Hello" };
        response.end(JSON.stringify({ id: "1", choices: [{ index: 0, finish_reason: "stop", message }] }));
      });
      const profile = { inferenceBaseUrl: `${server.url}/v1`, models: { "*": { stream: false } } };
      const text = write(id, profile);
      await run(command, text, { OPENAI_API_KEY: key }).finally(() => server.close());
      assert.deepEqual(received, ["Bearer YOUR_API_KEY"]);
    });

    it(`sends names, headers and query parameters unchanged with ${id}`, async () => {
      const received: unknown[] = [];
      const server = await startServer(async (request, response) => {
        const { model }: { readonly model: string } = JSON.parse(await readRequestBody(request));
        received.push(model, request.headers["x-team"], request.headers.authorization);
        received.push([...new URL(request.url ?? "", "http://x").searchParams]);
        response.writeHead(200, { "content-type": "application/json" });
        const message = { role: "assistant", content: "Hello" };
        response.end(
          JSON.stringify({ id: "1", model, choices: [{ index: 0, finish_reason: "stop", message }] }),
        );
      });
      const inferenceBaseUrl = `${server.url}/v1?api-version=2&x=%22%24(id)`;
      const text = write(id, { inferenceBaseUrl, headers, models: { "*": { stream: false } } }, nasty);
      await run(command, text).finally(() => server.close());
      const query = [
        ["api-version", "2"],
        ["x", '"$(id)'],
      ];
      assert.deepEqual(received, [nasty, headers["X-Team"], `Bearer ${key}`, query]);
    });
  }

  for (const [id, module] of [
    ["pythonOpenai", "openai"],
    ["langchain", "langchain_openai"],
  ] as const) {
    it(`is a Python program that passes everything unchanged with ${id}`, async function () {
      if (!hasPython) return this.skip();
      for (const stream of [true, false]) {
        const models = { "*": { stream } };
        const [client, request] = await runPython(module, write(id, { ...remote, models }, nasty));
        assert.ok(isRecord(client));
        const { model = nasty, ...options } = client;
        assert.equal(model, nasty);
        assert.deepEqual(options, {
          base_url: "https://inference.example/it's/v1",
          api_key: key,
          default_headers: headers,
          default_query: { "api-version": "2", x: '"$(id)' },
        });
        if (id === "pythonOpenai") {
          const messages = [{ role: "user", content: "Hello!" }];
          assert.deepEqual(request, { model: nasty, messages, ...(stream ? { stream } : {}) });
        }
      }
    });
  }

  it("sets the environment variables that programs and aider read", async () => {
    const variables = `env | grep ^OPENAI_; env -0 | tr -d '\\n' | wc -l`;
    const output = await run(["bash", "-s"], `${write("environment", remote, nasty)}${variables}\n`);
    assert.deepEqual(output.trim().split("\n").slice(0, 3).toSorted(), [
      `OPENAI_API_KEY=${key}`,
      "OPENAI_BASE_URL=https://inference.example/it's/v1",
      `OPENAI_MODEL=${nasty}`,
    ]);
    const aider = `aider() { printf '%s|' "$OPENAI_API_BASE" "$OPENAI_API_KEY" "$@"; }\n`;
    assert.equal(
      await run(["bash", "-s"], `${aider}${write("aider", remote, nasty)}`),
      `https://inference.example/it's/v1|${key}|--model|openai/${nasty}|`,
    );
  });

  it("is YAML with the exact values for LiteLLM, Continue and Cline", () => {
    const litellm = load(write("litellm", remote, nasty));
    assert.deepEqual(litellm, {
      model_list: [
        {
          model_name: nasty,
          litellm_params: {
            model: `openai/${nasty}`,
            api_base: "https://inference.example/it's/v1",
            api_key: "os.environ/INFERENCE_API_KEY",
            extra_headers: headers,
          },
        },
      ],
    });
    const { models = [] } = load(write("continue", remote, nasty)) as { models?: readonly object[] };
    assert.deepEqual(models, [
      {
        name: `${nasty} (Lab "1")`,
        provider: "openai",
        model: nasty,
        apiBase: "https://inference.example/it's/v1",
        apiKey: "${{ secrets.INFERENCE_API_KEY }}",
        roles: ["chat", "edit", "apply"],
        capabilities: ["tool_use"],
        defaultCompletionOptions: { contextLength: 128_000, maxTokens: 8_192 },
        requestOptions: { headers },
      },
    ]);
    const cline = load(write("cline", remote, nasty));
    assert.equal((cline as Readonly<Record<string, unknown>>)["Model ID"], nasty);
  });

  it("is a test with the last message in promptfoo, which fails rather than sending another key", () => {
    const expected = (message: string): unknown => ({
      prompts: ['[{"role": "user", "content": {{ message | dump }}}]'],
      providers: [
        {
          id: `openai:chat:${nasty}`,
          config: {
            apiBaseUrl: "https://inference.example/it's/v1?api-version=2&x=%22%24(id)",
            apiKey: "{{ env.INFERENCE_API_KEY }}",
            headers,
            omitDefaults: true,
            showThinking: false,
          },
        },
      ],
      tests: [{ vars: { message } }],
    });
    const message = `first line\n\tsecond: "line" ${nasty}`;
    assert.deepEqual(load(write("promptfoo", remote, nasty, true, message)), expected(message));
    assert.deepEqual(load(write("promptfoo", remote, nasty)), expected("Hello!"));
  });

  it("is a template for promptfoo that stands for the message itself", () => {
    const messages = `{{ env.HOME }}|{{message}}|{% raw %}{{ x }}{% endraw %}|{# comment #}|{#}|{{{{|#}|{{ "{" }}`;
    for (const message of [
      ...messages.split("|"),
      "file:///etc/passwd",
      "package:name:run",
      "42",
      "- role: system",
    ]) {
      const config = load(write("promptfoo", remote, "m", true, message)) as {
        readonly tests: readonly [{ readonly vars: { readonly message: string } }];
      };
      const text = config.tests[0].vars.message;
      const tags = /\{\{ "(.?)" \}\}/g;
      assert.equal(text.replace(tags, "$1"), message);
      for (const part of text.split(tags).filter((_, index) => index % 2 === 0))
        assert.doesNotMatch(part, /\{[{%#]|#\}/, message);
      assert.doesNotMatch(text, /^(?:file:\/\/|package:)/);
    }
  });

  it("is JSON with comments and the exact values for Zed and VS Code's Custom Endpoint", () => {
    const parse = (id: SetupId): unknown => {
      const { config, error } = ts.parseConfigFileTextToJson(
        "x.json",
        `{ "root": ${write(id, remote, nasty)} }`,
      );
      assert.equal(error, undefined);
      return isRecord(config) ? config["root"] : undefined;
    };
    const zed = JSON.stringify(parse("zed"));
    assert.ok(zed.includes(`"name":${JSON.stringify(nasty)},`));
    assert.ok(zed.includes(`"api_url":"https://inference.example/it's/v1"`));
    assert.deepEqual(parse("customEndpoint"), [
      {
        name: `Lab "1"`,
        vendor: "customendpoint",
        apiType: "chat-completions",
        models: [
          {
            id: nasty,
            name: nasty,
            url: "https://inference.example/it's/v1/chat/completions?api-version=2&x=%22%24(id)",
            toolCalling: true,
            vision: false,
            maxInputTokens: 119_808,
            maxOutputTokens: 8_192,
            requestHeaders: headers,
          },
        ],
      },
    ]);
  });

  it("contains neither a key nor anything that looks like one", () => {
    const profile = {
      inferenceBaseUrl: `https://inference.example/v1?api_key=${key}&team=a`,
      headers: { "X-Api-Key": "abc", "X-Note": key },
    };
    for (const { id } of setupChoices()) {
      const text = write(id, profile);
      assert.doesNotMatch(text, /sk-key|abc|api_key=sk/, id);
    }
  });

  it("asks for no key if the service needs none", () => {
    for (const { id } of setupChoices())
      assert.doesNotMatch(
        write(id, { inferenceBaseUrl: "http://127.0.0.1:1/v1" }, "m", false),
        /INFERENCE_API_KEY|YOUR_API_KEY/,
        id,
      );
  });

  it("isn't written if the client would replace part of a name", () => {
    const expectProblem = (id: SetupId, model: string): void => {
      const facts = setupFacts({ ...gatewayProfile, ...remote }, { id: model }, true);
      assert.ok(facts !== undefined && "problem" in setupText(id, facts), id);
    };
    expectProblem("continue", "a${{ secrets.OTHER }}");
    expectProblem("customEndpoint", "a${input:other}");
    expectProblem("promptfoo", "a{{ env.OTHER }}");
    assert.equal(setupFacts(gatewayProfile, { id: "m" }, true), undefined);
  });

  it("keeps each comment on its line", () => {
    const name = "Lab\nexport EVIL=1";
    const profile = {
      ...remote,
      headers: { "X-A": "1" },
      name,
      inferenceBaseUrl: "https://a.example/v1?a%0Aexport=1",
    };
    for (const { id } of setupChoices())
      assert.doesNotMatch(write(id, profile, "m"), /^(?:export=|export EVIL|evil)/m, id);
  });
});

describe("The setup of every client", () => {
  it("describes how the profile reaches its service, without the credentials of its proxy", () => {
    const inferenceBaseUrl = "https://lab.example/v1";
    for (const { id } of setupChoices()) {
      assert.doesNotMatch(write(id, { inferenceBaseUrl }), /HTTPS_PROXY|NO_PROXY|SSL_CERT_FILE/, id);
      const text = write(id, {
        inferenceBaseUrl,
        proxy: "http://ann:canary-password@proxy.example:3128",
        caFile: "/etc/lab ca.pem\nrm -rf /",
      });
      assert.match(text, /^(?:#|\/\/) .*HTTPS_PROXY.*http:\/\/proxy\.example:3128/, id);
      assert.match(text, /SSL_CERT_FILE/, id);
      assert.doesNotMatch(text, /canary|ann:|^rm /m, id);
      assert.match(write(id, { inferenceBaseUrl, proxy: "direct" }), /NO_PROXY/, id);
      const windows = write(id, { inferenceBaseUrl, caFile: String.raw`C:\certs\new ca.pem` });
      assert.ok(windows.includes(String.raw` C:\certs\new ca.pem`), id);
    }
  });
});
