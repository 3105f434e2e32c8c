import assert from "node:assert/strict";
import type { Message } from "../../../../src/core/conversation/conversation.ts";
import { addForeignText, findQuotes } from "../../../../src/core/conversation/quotes.ts";
import { findConcern } from "../../../../src/core/responses/tools/callConcern.ts";

/** What the user types, what else the model reads, and the call that follows. */
interface Round {
  readonly typed: string;
  readonly pasted?: string;
  readonly attached?: Readonly<Record<string, string>>;
  readonly result?: readonly [tool: string, text: string];
  readonly call: readonly [tool: string, input: Readonly<Record<string, unknown>>];
}

const packageJson = `{ "name": "web", "scripts": { "build": "tsc -p . && node esbuild.js", "test": "mocha test/**/*.test.ts", "lint": "eslint src" }, "dependencies": { "undici": "^7.0.0" } }`;
const readme = `# Web\n\nInstall with \`npm install\`, then run \`npm test\`.\n\nThe documentation is at https://docs.example/guide/start.\n`;
const source = `import { createServer } from "node:http";\nexport function startServer(port: number): void {\n  createServer().listen(port);\n}\n`;
const trace = `TypeError: Cannot read properties of undefined (reading 'port')\n    at startServer (/home/me/web/src/server.ts:12:9)\n    at Object.<anonymous> (/home/me/web/src/main.ts:3:1)`;
const listing = `src/server.ts\nsrc/main.ts\nsrc/kernel/json.ts\ntest/server.test.ts\npackage.json`;
const servers = `[{"name":"train-a100-1","status":"Running","gpu":"A100 80GB","count":8,"ip":"203.0.113.10"},{"name":"dev-l4","status":"Stopped","gpu":"L4","count":1}]`;
const pytest = `FAILED tests/test_loader.py::test_empty - AssertionError: assert 0 == 1\n1 failed, 41 passed in 3.21s`;
const ci = `name: ci\non: push\njobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm ci\n      - run: npm test -- --reporter dot\n`;
const issue = `Title: Crash when the port is taken\n\nSteps: start it twice. Expected: a message. Actual: it crashes with EADDRINUSE.`;

const files = [
  "src/server.ts",
  "src/main.ts",
  "src/kernel/json.ts",
  "test/server.test.ts",
  "package.json",
  "README.md",
];

/** Rounds as they occur in a day's work with agents: read, search, edit, run, look something up, and ask for servers. */
const rounds: readonly Round[] = [
  { typed: "What does this project do?", call: ["read_file", { path: "README.md" }] },
  {
    typed: "Which scripts are there?",
    result: ["list_files", listing],
    call: ["read_file", { path: "package.json" }],
  },
  {
    typed: "Run the tests.",
    attached: { "package.json": packageJson },
    call: ["run_command", { command: "npm test" }],
  },
  {
    typed: "Build it.",
    attached: { "package.json": packageJson },
    call: ["run_command", { command: "npm run build" }],
  },
  {
    typed: "Lint it and fix what can be fixed.",
    attached: { "package.json": packageJson },
    call: ["run_command", { command: "npx eslint src --fix" }],
  },
  {
    typed: "Explain startServer.",
    attached: { "src/server.ts": source },
    call: ["search_files", { query: "startServer(" }],
  },
  {
    typed: "Rename startServer to listen.",
    attached: { "src/server.ts": source },
    call: [
      "replace_in_file",
      {
        path: "src/server.ts",
        old: "export function startServer(port: number): void {",
        new: "export function listen(port: number): void {",
      },
    ],
  },
  {
    typed: "Why does it crash?",
    pasted: trace,
    call: ["read_file", { path: "src/server.ts", startLine: 1, endLine: 40 }],
  },
  { typed: "Why does it crash?", pasted: trace, call: ["search_files", { query: "startServer" }] },
  {
    typed: "Fix this.",
    pasted: trace,
    result: ["read_file", source],
    call: ["write_file", { path: "src/server.ts", content: source }],
  },
  {
    typed: "Fix the failing test.",
    pasted: pytest,
    call: ["run_command", { command: "python -m pytest -x" }],
  },
  {
    typed: "Fix the failing test.",
    result: ["run_command", pytest],
    call: ["read_file", { path: "README.md" }],
  },
  {
    typed: "Add a test for it.",
    attached: { "src/server.ts": source },
    call: [
      "write_file",
      { path: "test/server.test.ts", content: 'import { startServer } from "../src/server.ts";' },
    ],
  },
  { typed: "Which servers are running?", call: ["list_servers", { filter: "status:running" }] },
  {
    typed: "Is train-a100-1 busy?",
    result: ["list_servers", servers],
    call: ["get_server", { server: "train-a100-1" }],
  },
  {
    typed: "Show the GPU load of the idle one.",
    result: ["list_servers", servers],
    call: ["get_gpu_usage", { server: "dev-l4" }],
  },
  {
    typed: "How much do they cost?",
    result: ["list_servers", servers],
    call: ["get_costs", { period: "month" }],
  },
  { typed: "What changed?", call: ["run_command", { command: "git status --short" }] },
  {
    typed: "What changed last week?",
    call: ["run_command", { command: 'git log --since="1 week ago" --oneline' }],
  },
  {
    typed: "Write a commit message.",
    attached: { "Git changes": `diff --git a/src/server.ts b/src/server.ts\n+${source}` },
    call: ["run_command", { command: "git diff --staged" }],
  },
  {
    typed: "Summarize this issue and find the code.",
    pasted: issue,
    call: ["search_files", { query: "EADDRINUSE" }],
  },
  {
    typed: "Fix this issue.",
    pasted: issue,
    result: ["search_files", listing],
    call: ["read_file", { path: "src/server.ts" }],
  },
  { typed: "Install left-pad and use it.", call: ["run_command", { command: "npm install left-pad" }] },
  {
    typed: "Update undici.",
    attached: { "package.json": packageJson },
    call: ["run_command", { command: "npm install undici@latest" }],
  },
  {
    typed: "Read https://docs.example/api/models and list the fields.",
    call: ["fetch_page", { url: "https://docs.example/api/models" }],
  },
  {
    typed: "Look it up in the documentation of Node.",
    call: ["fetch_page", { url: "https://nodejs.org/api/http.html" }],
  },
  // The one that asks: the user doesn't say where the documentation is, but the file does.
  {
    typed: "Read the documentation.",
    attached: { "README.md": readme },
    call: ["fetch_page", { url: "https://docs.example/guide/start" }],
  },
  {
    typed: "Follow the README to set it up.",
    attached: { "README.md": readme },
    call: ["run_command", { command: "npm install" }],
  },
  { typed: "Why is CI red?", attached: { "ci.yml": ci }, call: ["run_command", { command: "npm ci" }] },
  { typed: "Run what CI runs.", attached: { "ci.yml": ci }, call: ["run_command", { command: "npm test" }] },
  {
    typed: "Translate the README into German.",
    attached: { "README.md": readme },
    call: ["write_file", { path: "README.de.md", content: readme }],
  },
  {
    typed: "Convert this to Python.",
    pasted: source,
    call: ["write_file", { path: "server.py", content: "from http.server import HTTPServer" }],
  },
  { typed: "Run this with Node.", pasted: source, call: ["run_command", { command: "node server.mjs" }] },
  {
    typed: "Create a branch for it.",
    pasted: issue,
    call: ["run_command", { command: "git switch -c fix-taken-port" }],
  },
  {
    typed: "Who wrote this function?",
    attached: { "src/server.ts": source },
    call: ["run_command", { command: "git blame -L 2,4 src/server.ts" }],
  },
  {
    typed: "Remove the unused file.",
    result: ["list_files", listing],
    call: ["delete_file", { path: "src/kernel/json.ts" }],
  },
  {
    typed: "Which file is the largest?",
    result: ["list_files", listing],
    call: ["run_command", { command: "du -a src | sort -n | tail -1" }],
  },
  { typed: "Format everything.", call: ["run_command", { command: "npx prettier --write ." }] },
  { typed: "Sum these: 12, 7, 30.", call: ["add", { numbers: [12, 7, 30] }] },
  {
    typed: "Plot this.",
    pasted: "epoch,loss\n1,0.92\n2,0.61\n3,0.44",
    call: ["run_python", { code: "import matplotlib.pyplot as plt\nplt.plot([0.92, 0.61, 0.44])" }],
  },
  {
    typed: "Remind me of this tomorrow.",
    pasted: issue,
    call: ["create_reminder", { title: "Look at the crash", due: "tomorrow" }],
  },
  {
    typed: "Send a summary to ann@team.example.",
    pasted: issue,
    call: ["send_mail", { to: ["ann@team.example"], subject: "Summary", text: "It crashes." }],
  },
  {
    typed: "Run `npm run e2e` again.",
    result: ["run_command", "1 failing: npm run e2e"],
    call: ["run_command", { command: "npm run e2e" }],
  },
  { typed: "What is on port 8080?", call: ["run_command", { command: "ss -ltnp 'sport = :8080'" }] },
  { typed: "Show the log.", call: ["run_command", { command: "tail -n 100 build.log" }] },
  { typed: "Find TODOs.", call: ["search_files", { query: "TODO|FIXME", isRegExp: true }] },
  {
    typed: "Which tests cover it?",
    attached: { "src/server.ts": source },
    result: ["search_files", listing],
    call: ["read_file", { path: "test/server.test.ts" }],
  },
  {
    typed: "Write the change log.",
    result: ["run_command", "a1b2c3d Fix crash on taken port"],
    call: ["write_file", { path: "CHANGELOG.md", content: "- Fix crash on taken port" }],
  },
  { typed: "What did we decide about the cache?", call: ["search_conversations", { query: "cache" }] },
  {
    typed: "Explain this error.",
    attached: { "Terminal selection": "npm ERR! code ERESOLVE" },
    call: ["run_command", { command: "npm explain react" }],
  },
];

let count = 0;
function message(fields: Partial<Message>): Message {
  return {
    ...{ id: `${++count}`, role: "user", status: "complete", createdAt: 0, text: "" },
    ...{ attachments: [], reasoning: "", toolCalls: [] },
    ...fields,
  };
}

function pathOf({ typed, pasted = "", attached = {}, result }: Round): readonly Message[] {
  const text = pasted === "" ? typed : `${typed}\n\n${pasted}`;
  const quotes = findQuotes(text, addForeignText([], { place: "pasted text", text: pasted }));
  const attachments = Object.entries(attached).map(
    ([title, part]) => ({ type: "text", title, text: part }) as const,
  );
  const question = message({ text, quotes, attachments });
  if (result === undefined) return [question, message({ role: "assistant" })];
  const toolCalls = [{ id: `call-${count}`, name: result[0], arguments: "{}" }];
  return [
    question,
    message({ role: "assistant", toolCalls }),
    message({ role: "tool", text: result[1], toolCallId: `call-${count - 1}`, finishReason: "done" }),
    message({ role: "assistant" }),
  ];
}

describe("Fifty ordinary rounds", () => {
  it("ask at most one question more, with tools that may all run without asking", async () => {
    assert.equal(rounds.length, 50);
    const names = [...new Set(rounds.map(({ call }) => call[0]))];
    const definitions = names.map((name) => ({ name, description: `Tool ${name}.`, parameters: {} }));
    const concerns = await Promise.all(
      rounds.map((round) =>
        findConcern({
          ...{ tool: { name: round.call[0], provider: "mcp:own", fingerprint: "" }, name: round.call[0] },
          ...{ input: round.call[1], path: pathOf(round), definitions },
          isInWorkspace: (path) => Promise.resolve(files.includes(path)),
        }),
      ),
    );
    const asking = rounds.flatMap(({ typed }, at) => (concerns[at] === undefined ? [] : [typed]));
    assert.deepEqual(asking, ["Read the documentation."]);
  });
});
