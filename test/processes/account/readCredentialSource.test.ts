import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../support/eventually.ts";
import type { CredentialSource } from "../../../src/core/account/credentialSource.ts";
import { thisPlace } from "../../../src/processes/programs/findProgram.ts";
import {
  readCredentialSource,
  watchSourceFile,
} from "../../../src/processes/account/readCredentialSource.ts";

describe("Reading the source of a credential", () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "source-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function read(source: CredentialSource, timeoutMs = 10_000): Promise<string> {
    const request = {
      profileName: "Cloud",
      kind: "stsToken",
      origin: "https://a.example.com",
      source,
    } as const;
    const environment = {
      ...process.env,
      EXAMPLE_TOKEN: "token-1",
      VSCODE_PID: "1",
      ELECTRON_RUN_AS_NODE: "1",
    };
    const reading = await readCredentialSource(request, {
      signal: new AbortController().signal,
      place: thisPlace(environment),
      timeoutMs,
    });
    return "text" in reading ? reading.text : reading.problem;
  }

  const node = (code: string, ...args: string[]): CredentialSource => ({
    from: "command",
    command: [process.execPath, "-e", code, ...args],
  });

  it("passes arguments exactly as written, without a shell", async () => {
    const marker = join(folder, "marker");
    const args = ["$HOME", `; touch ${marker}`, "$(id)", "a b", "*"];
    const output = await read(node("console.log(JSON.stringify(process.argv.slice(1)))", ...args));
    assert.deepEqual(JSON.parse(output), args);
    assert.equal(existsSync(marker), false);
  });

  it("starts the program in the home directory, without the variables of VS Code", async () => {
    const code =
      "console.log(process.cwd(), Object.keys(process.env).some((name) => /VSCODE|ELECTRON/.test(name)))";
    assert.match(await read(node(code)), / false\n$/);
  });

  it("names the missing program, and the option to correct", async () => {
    const problem = await read({
      from: "command",
      command: ["no-such-program-here", "--secret=hidden1234567"],
    });
    assert.match(
      problem,
      /from the command “no-such-program-here”: the program wasn't found\. .*credentialCommand/,
    );
    assert.equal(problem.includes("hidden"), false);
  });

  it("stops a program that doesn't end, and whatever it has started", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket.on("error", () => undefined).resume()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const inner = `require("net").connect(${port}, "127.0.0.1"); setInterval(() => 0, 1000)`;
    const code = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(inner)}], { stdio: "inherit" }); setInterval(() => 0, 1000)`;
    // On a busy machine, starting the other program may take longer than the first limits.
    for (let seconds = 1; sockets.length === 0; seconds *= 3) {
      const problem = await read(node(code), seconds * 1_000);
      assert.match(problem, new RegExp(`didn't finish within ${seconds} s and was stopped`));
    }
    await eventually(() => assert.ok(sockets.every(({ closed }) => closed)));
    server.close();
  });

  it("stops what a program has started even if it ignores the first signal and the program has ended", async function () {
    if (process.platform === "win32") this.skip();
    const inner = `process.on("SIGTERM", () => 0); console.log(process.pid); setInterval(() => 0, 1000)`;
    const code = `const child = require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(inner)}], { stdio: ["ignore", "pipe", "inherit"] });
      child.stdout.once("data", (pid) => require("fs").writeFileSync(process.argv[1], pid)); setInterval(() => 0, 1000)`;
    const pidFile = join(folder, "pid");
    for (let seconds = 1; !existsSync(pidFile); seconds *= 3)
      await read(node(code, pidFile), seconds * 1_000);
    const pid = Number(readFileSync(pidFile, "utf8"));
    await eventually(() => assert.throws(() => process.kill(pid, 0)));
  });

  it("doesn't wait for what a program has left running in the background", async () => {
    const code = `const child = require("child_process").spawn(process.execPath, ["-e", "setTimeout(() => 0, 60000)"], { stdio: "inherit", detached: true }); child.unref(); process.stdout.write("token-2 " + child.pid)`;
    const before = performance.now();
    const [token, processId] = (await read(node(code))).split(" ");
    assert.equal(token, "token-2");
    assert.ok(performance.now() - before < 50_000);
    process.kill(Number(processId));
  });

  it("stops a program that prints endlessly", async () => {
    const problem = await read(node('for (;;) process.stdout.write("x".repeat(65536))'));
    assert.match(problem, /printed more than 64 KB/);
  });

  it("masks whatever may be a secret in the error output", async () => {
    const code = `console.log("short-part"); console.error("warning"); console.error("token=abcdefgh1234 short-part eyJhbGciOiJub25lIn0.e30.x sk-ant-api03-aaaaaaaaaaaa expired"); process.exit(1)`;
    const problem = await read(node(code));
    assert.match(problem, /exit code 1: token=\[redacted\].* expired$/);
    assert.doesNotMatch(problem, /abcdefgh|short-part|eyJ|api03/);
  });

  for (const [what, stderr, expected] of [
    [
      "a click program",
      "ERROR: This CLI session has expired\n\nAborted!\n",
      /: ERROR: This CLI session has expired$/,
    ],
    [
      "a cobra program",
      'Error: token has expired, run "cloudctl login"\nUsage:\n  cloudctl token [flags]\n\nFlags:\n  -h, --help   help for token\n\nGlobal Flags:\n      --debug   verbose output\n',
      /: Error: token has expired, run "cloudctl login"$/,
    ],
    [
      "az",
      "ERROR: AADSTS700082: The refresh token has expired due to inactivity.\nInteractive authentication is needed. Please run:\naz login\n",
      /refresh token has expired due to inactivity\. Interactive authentication is needed\. Please run: az login$/,
    ],
    [
      "Node",
      '/usr/lib/cli/index.js:12\n    throw new Error("Session expired. Run cli login");\n    ^\n\nError: Session expired. Run cli login\n    at Object.<anonymous> (/usr/lib/cli/index.js:12:11)\n\nNode.js v20.18.0\n',
      /: Error: Session expired\. Run cli login$/,
    ],
    [
      "Python",
      'Traceback (most recent call last):\n  File "/usr/bin/x", line 3, in <module>\n    main()\nRuntimeError: session expired, run x login\n',
      /: RuntimeError: session expired, run x login$/,
    ],
    [
      "a colored line",
      "\u001b[31merror\u001b[0m: access denied\nhint: ask an administrator\n",
      /: error: access denied hint: ask an administrator$/,
    ],
    [
      "a warning first",
      "WARNING: old version\nconnecting\nfatal: dial tcp 127.0.0.1:443: connection refused\n",
      /: fatal: dial tcp 127\.0\.0\.1:443: connection refused$/,
    ],
    ["nothing that names a cause", "one\ntwo\nthree\nfour\n", /: two three four$/],
  ] as const) {
    it(`shows why it failed, as ${what} prints it`, async () => {
      const code = `console.log("Do you want to re-authenticate your CLI session profile? [Y/n]: "); process.stderr.write(${JSON.stringify(stderr)}); process.exit(1)`;
      assert.match(await read(node(code)), expected);
    });
  }

  it("doesn't wait for a pipe that nothing writes to", async function () {
    if (process.platform === "win32") this.skip();
    const path = join(folder, "pipe");
    execFileSync("mkfifo", [path]);
    assert.match(await read({ from: "file", path }), /isn't a file/);
  });

  it("reads a file in UTF-16, as PowerShell writes it", async () => {
    const path = join(folder, "token.txt");
    writeFileSync(path, Buffer.from("\ufefftoken-1\r\n", "utf16le"));
    assert.equal((await read({ from: "file", path })).trim(), "token-1");
  });

  it("reads a file up to 64 KB", async () => {
    const path = join(folder, "token");
    assert.match(
      await read({ from: "file", path }),
      /from the file .*: it doesn't exist\. Check “credentialFile”/,
    );
    writeFileSync(path, "token-2\n");
    assert.equal(await read({ from: "file", path }), "token-2\n");
    writeFileSync(path, "x".repeat(70_000));
    assert.match(await read({ from: "file", path }), /longer than 64 KB/);
    assert.match(await read({ from: "file", path: folder }), /isn't a file|reading it failed/);
  });

  it("notices that a file was replaced", async () => {
    const path = join(folder, "token");
    writeFileSync(path, "token-1");
    await new Promise<void>((resolve) => {
      const stop = watchSourceFile(path, () => {
        stop();
        resolve();
      });
      setTimeout(() => writeFileSync(path, "token-23"), 100);
    });
    assert.equal(await read({ from: "file", path }), "token-23");
  });

  it("reads an environment variable", async () => {
    assert.equal(await read({ from: "variable", name: "EXAMPLE_TOKEN" }), "token-1");
    assert.match(
      await read({ from: "variable", name: "EXAMPLE_OTHER" }),
      /EXAMPLE_OTHER: it isn't set\. Set it where/,
    );
  });
});
