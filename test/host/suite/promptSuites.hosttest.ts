import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync, existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { Redaction } from "../../../src/core/account/redaction.ts";
import { SecretVault } from "../../../src/core/account/secretVault.ts";
import { InMemoryConversationStore } from "../../../src/core/conversation/inMemoryConversationStore.ts";
import { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import { createInferenceClient } from "../../../src/gateway/completion/inferenceClient.ts";
import type { InferenceClient } from "../../../src/gateway/completion/inferenceClient.ts";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import { ModelMemory } from "../../../src/vscode/account/modelMemory.ts";
import { createSecretIndex } from "../../../src/vscode/account/credentials/secretStorage.ts";
import { Profiles } from "../../../src/vscode/account/profiles/profiles.ts";
import { findResponse, writeTest } from "../../../src/vscode/suites/saveAsTest.ts";
import { Suites } from "../../../src/vscode/suites/suites.ts";
import type { SuitesContext } from "../../../src/vscode/suites/suites.ts";
import { MemorySecrets } from "../../support/memorySecrets.ts";
import { createTestTransport } from "../../support/testTransport.ts";
import { activateExtension } from "./support/extensionContext.ts";
import { RecordedController } from "./support/recordedController.ts";

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const unused = (): never => {
  throw new Error("not used");
};

describe("Prompt suites in the Testing view", () => {
  const transport = createTestTransport();
  let gateway: RunningLocalGateway;
  let folder: string;
  let file: string;
  let profiles: Profiles;
  let context: SuitesContext;
  let suites: Suites;
  let recorded: RecordedController;
  let requests = 0;
  /** Responses are received only once this is resolved. */
  let held: Promise<void> = Promise.resolve();

  const client = (): InferenceClient => {
    const inner = createInferenceClient({
      transport,
      baseUrl: gateway.inferenceBaseUrl,
      readApiKey: async () => gateway.credentials.apiKey,
      timeoutMs: () => 30_000,
      userAgent: "inference-gateway/test",
      allowInsecureHttp: false,
    });
    const complete: InferenceClient["complete"] = (request, observer) => {
      const run = inner.complete(request, observer);
      const events = (async function* () {
        await held;
        yield* run.events;
      })();
      return { events, stop: () => run.stop() };
    };
    return Object.assign(Object.create(inner), { complete });
  };

  before(async () => {
    const { extensionUri, globalState, workspaceState } = await activateExtension();
    gateway = await startLocalGateway({
      tokensPerSecond: 0,
      onRequest: ({ path }) => {
        if (path.endsWith("/chat/completions")) requests++;
      },
    });
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? tmpdir();
    folder = realpathSync(mkdtempSync(join(workspace, "suites-")));
    profiles = new Profiles(silent, workspaceState);
    await profiles.put({ name: "suite gateway", inferenceBaseUrl: gateway.inferenceBaseUrl });
    const redaction = new Redaction();
    context = {
      profiles,
      redaction,
      extensionUri,
      storageUri: vscode.Uri.file(join(folder, "storage")),
      models: new ModelMemory(globalState),
      vault: new SecretVault({
        store: new MemorySecrets(),
        index: createSecretIndex(globalState),
        redaction,
        now: () => Date.now(),
      }),
      ledger: async () => unused(),
      clients: {
        inference: async () => client(),
        gateway: unused,
        sendSigned: unused,
        loadImage: unused,
        wire: unused,
        dispose: () => undefined,
      },
    };
    recorded = new RecordedController(vscode.tests.createTestController("test.suites", "Suites under test"));
    suites = new Suites(context, recorded.controller);
  });
  beforeEach(() => {
    requests = 0;
    held = Promise.resolve();
    file = join(folder, `${Date.now()}.prompts.yaml`);
  });
  after(async () => {
    suites.dispose();
    await profiles.writeRaw([]);
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await transport.close();
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(text: string): Promise<vscode.TestItem> {
    writeFileSync(file, `profile: suite gateway\n${text}`);
    const uri = vscode.Uri.file(file);
    await suites.tests.refresh(uri);
    const item = recorded.controller.items.get(uri.toString());
    assert.ok(item);
    return item;
  }

  const echo = "models: [demo-lab/echo-omni]";

  it("run with the gutter marks at their cases, and fail with a diff to the expected text", async () => {
    const item = await open(`${echo}
presets: [{ name: cold, parameters: { temperature: 0 } }, { name: warm, parameters: { temperature: 1 } }]
cases:
  - name: passes
    prompt: Hello
    checks: [{ contains: Hello }]
  - name: fails
    prompt: Hello
    checks:
      - equals: Goodbye
`);
    assert.deepEqual(
      [...item.children].map(([, { label, range }]) => `${label} ${range?.start.line}`),
      ["passes 4", "fails 7"],
    );
    await recorded.run("Run", [item]);
    assert.deepEqual(recorded.outcomes(), [
      "passed passes / demo-lab/echo-omni · cold",
      "passed passes / demo-lab/echo-omni · warm",
      "failed fails / demo-lab/echo-omni · cold",
      "failed fails / demo-lab/echo-omni · warm",
    ]);
    const [message] = recorded.messages;
    assert.equal(message?.message, "The response isn't the expected text.");
    assert.equal(message?.expectedOutput, "Goodbye");
    assert.match(message?.actualOutput ?? "", /I am the echo/);
    assert.equal(message?.location?.range.start.line, 10);
    assert.match(recorded.output, /passes · demo-lab\/echo-omni · cold/);
  });

  it("compare later responses with an accepted one, which is kept next to the suite", async () => {
    const item = await open(`${echo}\ncases:\n  - { name: one, prompt: Hello, checks: [accepted] }\n`);
    await recorded.run("Run", [item]);
    assert.deepEqual(recorded.outcomes(), ["failed one / demo-lab/echo-omni"]);
    await suites.accept(item, undefined);
    const accepted = file.replace(".yaml", ".accepted.json");
    assert.match(readFileSync(accepted, "utf8"), /I am the echo/);
    await recorded.run("Run", [item]);
    assert.deepEqual(recorded.outcomes(), ["passed one / demo-lab/echo-omni"]);
    writeFileSync(accepted, readFileSync(accepted, "utf8").replace("I am the echo", "I was the echo"));
    await recorded.run("Run", [item]);
    assert.deepEqual(recorded.outcomes(), ["failed one / demo-lab/echo-omni"]);
    assert.match(recorded.messages[0]?.expectedOutput ?? "", /I was the echo/);
  });

  it("run only the remaining cases after a run was canceled", async () => {
    const item = await open(`${echo}
concurrency: 1
cases:
${Array.from({ length: 12 }, (_, index) => `  - { name: case ${index}, prompt: Hello ${index} }`).join("\n")}
`);
    await recorded.run("Run", [item], { cancelAfter: 5 });
    const first = recorded.outcomes();
    assert.ok(first.filter((line) => line.startsWith("passed")).length < 12, first.join("\n"));
    assert.ok(first.some((line) => line.startsWith("skipped")));
    const done = first.filter((line) => line.startsWith("passed")).length;
    requests = 0;
    await recorded.run("Run the Remaining Cases", [item]);
    assert.equal(recorded.outcomes().filter((line) => line.startsWith("passed")).length, 12);
    assert.equal(requests, 12 - done);
    requests = 0;
    await recorded.run("Run the Remaining Cases", [item]);
    assert.equal(requests, 0);
  });

  it("stop sending, and end, when their file is deleted during the run", async () => {
    // VS Code doesn't report a file that is created and deleted before it reports either.
    const watcher = vscode.workspace.createFileSystemWatcher("**/*.prompts.yaml");
    const created = new Promise<void>((resolve) => {
      watcher.onDidCreate((uri) => {
        if (uri.fsPath === file) resolve();
      });
    });
    const item = await open(`${echo}
concurrency: 1
cases:
${Array.from({ length: 12 }, (_, index) => `  - { name: case ${index}, prompt: Hello ${index} }`).join("\n")}
`);
    await created;
    watcher.dispose();
    let sent = 0;
    await recorded.run("Run", [item], {
      onOutcome: (count) => {
        if (count !== 3 || sent > 0) return;
        sent = requests;
        // The next response doesn't end before VS Code has noticed that the file is gone.
        held = new Promise((resolve) => suites.tests.onDidRemove(() => resolve()));
        rmSync(file);
      },
    });
    const outcomes = recorded.outcomes();
    assert.equal(outcomes.length, 12);
    assert.equal(outcomes.filter((line) => line.startsWith("skipped")).length, 9);
    assert.match(recorded.output, /\.prompts\.yaml was deleted during the run\. 9 requests have no result\./);
    assert.ok(requests <= sent + 1, `${requests} requests instead of ${sent}`);
    const before = requests;
    await recorded.run("Run the Remaining Cases", [item]);
    assert.equal(requests, before);
  });

  it("send nothing more once their window closes", async () => {
    const closing = new RecordedController(vscode.tests.createTestController("test.closing", "Closing"));
    const others = new Suites(context, closing.controller);
    const cases = Array.from(
      { length: 12 },
      (_, index) => `  - { name: case ${index}, prompt: Bye ${index} }`,
    );
    writeFileSync(file, `profile: suite gateway\n${echo}\nconcurrency: 1\ncases:\n${cases.join("\n")}\n`);
    const uri = vscode.Uri.file(file);
    await others.tests.refresh(uri);
    const item = closing.controller.items.get(uri.toString());
    assert.ok(item);
    await closing.run("Run", [item], {
      onOutcome: (count) => {
        if (count === 3) others.dispose();
      },
    });
    const states = closing.outcomes().map((line) => line.split(" ")[0]);
    assert.deepEqual(new Set(states), new Set(["passed", "skipped"]));
    assert.ok(requests >= 3 && requests <= 5, String(requests));
  });

  it("run one model of one case alone", async () => {
    const item = await open(`models: [demo-lab/echo-omni, demo-lab/json-writer]
cases: [{ name: one, prompt: Hello }, { name: two, prompt: Hello }]
`);
    const cell = [...(item.children.get("two")?.children ?? [])][1]?.[1];
    assert.ok(cell);
    await recorded.run("Run", [cell]);
    assert.deepEqual(recorded.outcomes(), ["passed two / demo-lab/json-writer"]);
    assert.equal(requests, 1);
  });

  it("report mistakes at their position in the file, and send nothing", async () => {
    const item = await open(`${echo}
cases:
  - prompt: Hello
    attachments: [missing.png, ../../outside.png]
    checks: [{ contians: x }]
`);
    const [diagnostic] = vscode.languages.getDiagnostics(vscode.Uri.file(file));
    assert.match(diagnostic?.message ?? "", /“contians” isn't supported here/);
    assert.equal(diagnostic?.range.start.line, 5);
    await recorded.run("Run", [item]);
    assert.equal(requests, 0);
    const messages = recorded.messages.map(({ message }) => String(message));
    assert.match(messages.join("\n"), /“contians” isn't supported here/);
    assert.match(messages.join("\n"), /missing\.png can't be used/);
    assert.match(messages.join("\n"), /outside\.png can't be used: It is outside the workspace/);
  });

  it("end with the first error that would affect every request", async () => {
    const item = await open(`${echo}\ncases: [{ name: one, prompt: a }, { name: two, prompt: b }]\n`);
    const { apiKey } = gateway.credentials;
    Object.assign(gateway.credentials, { apiKey: "wrong" });
    await recorded.run("Run", [item]);
    Object.assign(gateway.credentials, { apiKey });
    assert.match(recorded.output, /The run ended because every remaining request would fail, too/);
  });

  it("receive a case from a response of a chat, with its conversation, settings and accepted response", async () => {
    let ids = 0;
    const conversation = { id: "c", title: "", createdAt: 0, updatedAt: 0, messages: [] };
    const session = new ChatSession(
      {
        ...conversation,
        model: "demo-lab/echo-omni",
        settings: { systemPrompt: "Be {{brief}}.", parameters: { temperature: 0.5 } },
      },
      {
        completions: client(),
        store: new InMemoryConversationStore(),
        now: () => Date.now(),
        createId: () => `m-${++ids}`,
        defaultModel: async () => "demo-lab/echo-omni",
        reportError: (error) => assert.fail(String(error)),
      },
    );
    for (const text of ["First\nmessage", "Second message"]) {
      const done = new Promise<void>((resolve) => {
        session.subscribe((event) => {
          if (event.type === "streaming" && !event.isStreaming) resolve();
        });
      });
      session.send(text);
      await done;
    }
    const item = await open("cases: []\n");
    const response = session.state.messages.at(-1);
    assert.ok(response);
    const saved = findResponse(session, response.id);
    assert.ok(saved);
    await writeTest(vscode.Uri.file(file), "Saved case", saved);
    await suites.tests.refresh(vscode.Uri.file(file));
    requests = 0;
    await recorded.run("Run", [item]);
    assert.deepEqual(recorded.outcomes(), ["passed Saved case / demo-lab/echo-omni"]);
    assert.equal(requests, 1);
    assert.match(readFileSync(file, "utf8"), /system: "Be \{\{braces\}\}brief\}\}\."/);
    assert.ok(existsSync(file.replace(".yaml", ".accepted.json")));
  });
});
