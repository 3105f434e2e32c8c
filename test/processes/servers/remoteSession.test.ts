import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { shellWord } from "../../../src/core/kernel/shellWord.ts";
import { listeningSteps, readListening } from "../../../src/core/servers/connect/listeningPorts.ts";
import { remoteScript, sshArguments } from "../../../src/core/servers/connect/sshSession.ts";
import { RemoteSession } from "../../../src/processes/servers/remoteSession.ts";
import { eventually } from "../../support/eventually.ts";
import { runRemote, streamText } from "../../../src/processes/servers/runRemote.ts";
import { SshLab, labShells } from "../../support/sshLab.ts";

describe("A script that runs on a server over SSH", function () {
  this.timeout(60_000);
  let lab: SshLab;
  const patience = { patienceMs: 20_000 };
  const waiting = 'echo "IG1 waiting"; run sleep 300';

  before(async function () {
    lab = await SshLab.openHere(this);
  });
  after(() => lab?.close());

  const run = (steps: string): ReturnType<typeof runRemote> =>
    runRemote({ target: lab.target, keyAlias: undefined }, steps, patience);

  const problemOf = async (result: ReturnType<typeof runRemote>): Promise<string | undefined> => {
    const ended = await result;
    return ended !== undefined && "problem" in ended ? ended.problem : undefined;
  };

  const nothingLeft = (): Promise<void> =>
    eventually(() => assert.deepEqual([lab.processes(), lab.sessionProcesses()], [[], []]));

  /** A session whose steps have begun to wait. */
  async function wait(args = sshArguments({ target: lab.target })): Promise<{
    readonly session: RemoteSession;
    readonly ended: Promise<readonly [string | undefined, string]>;
  }> {
    let output = "";
    let session: RemoteSession | undefined;
    const ended = new Promise<readonly [string | undefined, string]>((resolve) => {
      session = new RemoteSession({
        ...{ program: lab.program, args, script: remoteScript(waiting), patienceMs: 60_000 },
        onText: (text) => (output += text),
        onEnd: (failure, errors) => resolve([failure, errors]),
      });
    });
    await eventually(() => assert.match(output, /IG1 waiting/));
    assert.ok(session !== undefined);
    return { session, ended };
  }

  it("prints the same with every login shell, whatever the user's profile prints", async () => {
    for (const shell of labShells.filter((each) => lab.hasShell(each))) {
      lab.useShell(shell, "echo 'Disk quota: 81%'; echo 'IG1 end 0'; echo Welcome >&2");
      const word = `it's "$HOME" \`id\` \\ ${shell} ü`;
      assert.deepEqual(await run(`printf '%s\n' ${shellWord(word)}`), { lines: [word] }, shell);
    }
    lab.useShell("sh");
  });

  for (const [what, profile, steps = "echo yes"] of [
    ["prints a line without its end", "printf 'Welcome> '"],
    ["leaves nothing in PATH", "export PATH=/none"],
    [
      "limits how long Bash reads",
      `export TMOUT=1 SSH_ORIGINAL_COMMAND="exec /bin/bash --posix -s"`,
      "run sleep 2; echo yes",
    ],
    [
      "wants sizes in other units",
      "export BLOCK_SIZE=human-readable",
      `[ "$(ls -ln /etc/passwd | tr -s ' ' | cut -d ' ' -f 5)" = "$(wc -c </etc/passwd)" ] && echo yes`,
    ],
    ["lets cd search other folders", "export CDPATH=/tmp:/", "cd etc 2>/dev/null || echo yes"],
  ] as const)
    it(`prints the same if the profile ${what}`, async () => {
      lab.useShell("bash", profile);
      try {
        assert.deepEqual(await run(steps), { lines: ["yes"] });
        const { signal } = new AbortController();
        const streamed = await streamText({ target: lab.target }, "echo yes", { signal });
        assert.deepEqual(streamed, { text: "yes\n", status: 0 });
      } finally {
        lab.useShell("sh");
      }
    });

  it("ends with its steps, although the profile has left a program running", async () => {
    lab.useShell("sh", "sleep 302 &");
    try {
      const unlimited = runRemote({ target: lab.target }, "echo yes", { patienceMs: 1e9 });
      assert.deepEqual(await unlimited, { lines: ["yes"] });
    } finally {
      lab.useShell("sh");
      for (const { pid } of lab.processes()) process.kill(pid);
    }
    await nothingLeft();
  });

  it("is reported as not begun in time, and not as a lost connection, if the profile waits", async () => {
    lab.useShell("sh", "sleep 301");
    try {
      const waiting = runRemote({ target: lab.target }, "echo", { patienceMs: 2_000 });
      assert.equal(await problemOf(waiting), "noReply");
    } finally {
      lab.useShell("sh");
      for (const { pid } of lab.processes()) process.kill(pid);
    }
    await nothingLeft();
  });

  it("leaves no process on the server when it is stopped, or its client is killed", async () => {
    const { session } = await wait();
    assert.ok(lab.processes().some(({ command }) => command === "sleep 300"));
    session.stop();
    await nothingLeft();
    const controller = new AbortController();
    const canceled = runRemote({ target: lab.target, keyAlias: undefined }, waiting, {
      ...patience,
      signal: controller.signal,
    });
    await eventually(() => assert.ok(lab.processes().some(({ command }) => command === "sleep 300")));
    controller.abort();
    assert.equal(await canceled, undefined);
    await nothingLeft();
    const client = spawn(lab.program, [...sshArguments({ target: lab.target })], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    client.stdin.write(remoteScript(waiting));
    await eventually(() => assert.ok(lab.processes().some(({ command }) => command === "sleep 300")));
    client.kill("SIGKILL");
    await nothingLeft();
  });

  it("doesn't stand still if it ends while more of its input is being read, and closes what is read", async () => {
    const { session } = await wait();
    let isClosed = false;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      try {
        session.stop();
        await nothingLeft();
        yield Buffer.alloc(1_000_000);
        yield Buffer.alloc(1_000_000);
      } finally {
        isClosed = true;
      }
    }
    await session.sendAll(pieces());
    assert.ok(isClosed);
  });

  it("reports a cut connection as lost and a stalled one in time, never as the end of the steps", async () => {
    const cut = run(`echo first; ${waiting}`);
    await eventually(() => assert.ok(lab.processes().some(({ command }) => command === "sleep 300")));
    lab.signalSessions("SIGKILL");
    assert.equal(await problemOf(cut), "lost");
    await nothingLeft();
    const args = sshArguments({ target: lab.target }).map((each) =>
      each === "ServerAliveInterval=15" ? "ServerAliveInterval=1" : each,
    );
    const { ended } = await wait(args);
    lab.signalSessions("SIGSTOP");
    assert.equal((await ended)[0], undefined);
    lab.signalSessions("SIGCONT");
    await nothingLeft();
  });

  it("explains an unknown key, a changed one, a refused sign-in, and a server that is down, and accepts nothing", async () => {
    const known = join(lab.clientFolder, "known_hosts");
    lab.trustHost("");
    assert.equal(await problemOf(run("echo")), "unknownKey");
    assert.equal(readFileSync(known, "utf8"), "");
    lab.trustHost();
    const before = readFileSync(known, "utf8");
    lab.makeKey("host");
    await lab.stop();
    await lab.start();
    assert.equal(await problemOf(run("echo")), "changedKey");
    assert.equal(readFileSync(known, "utf8"), before);
    lab.trustHost();
    lab.makeKey("user");
    assert.equal(await problemOf(run("echo")), "denied");
    lab.allowUser();
    assert.deepEqual(await run("echo yes"), { lines: ["yes"] });
    await lab.stop();
    assert.equal(await problemOf(run("echo")), "unreachable");
    await lab.start();
  });

  it("finds the ports on which programs of the account listen, whatever they are called", async () => {
    const name = "it's$(id)[x](y)";
    lab.standIn(name, "");
    const program = join(lab.home, "..", "programs", name);
    copyFileSync(process.execPath, program);
    chmodSync(program, 0o755);
    lab.write(
      "programs/listen",
      `exec '${program.replaceAll("'", "'\\''")}' -e 'require("net").createServer().listen(0, "127.0.0.1", function () { console.log("IG1 at " + this.address().port) })'`,
    );
    let output = "";
    const session = new RemoteSession({
      ...{ program: lab.program, args: sshArguments({ target: lab.target }), patienceMs: 60_000 },
      script: remoteScript("run listen"),
      onText: (text) => (output += text),
      onEnd: () => undefined,
    });
    try {
      await eventually(() => assert.match(output, /IG1 at \d+/));
      const port = Number(/IG1 at (\d+)/.exec(output)?.[1]);
      for (const shell of labShells.filter((each) => lab.hasShell(each))) {
        lab.useShell(shell);
        const result = await run(listeningSteps);
        assert.ok(result !== undefined && "lines" in result);
        const found = readListening(result.lines).find(({ remote }) => remote.port === port);
        assert.deepEqual(
          [found?.program, found?.user, found?.isOwn],
          ["it's$ (id)[x] (y)", userInfo().uid === 0 ? "nobody" : userInfo().username, true],
          shell,
        );
      }
    } finally {
      lab.useShell("sh");
      session.stop();
    }
    await nothingLeft();
  });

  it("names who listens if id looks up no numbers, as BusyBox's", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    lab.standIn("id", 'case "$2" in [0-9]*) exit 1 ;; esac; exec /usr/bin/id "$@"');
    try {
      await once(server, "listening");
      const address = server.address();
      const result = await run(listeningSteps);
      assert.ok(result !== undefined && "lines" in result);
      const found = readListening(result.lines).find(
        ({ remote }) => typeof address === "object" && remote.port === address?.port,
      );
      assert.equal(found?.user, userInfo().username);
    } finally {
      server.close();
      lab.standIn("id", 'exec /usr/bin/id "$@"');
    }
  });

  it("leaves the user's own session alive that shares its connection", async () => {
    const config = join(lab.clientFolder, "config");
    const before = readFileSync(config, "utf8");
    appendFileSync(
      config,
      `  ControlMaster auto\n  ControlPath ${lab.clientFolder}/master-%p\n  RemoteCommand none\n`,
    );
    const own = spawn(lab.program, ["-p", String(lab.target.port), "127.0.0.1", "cat"], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    try {
      const echoed = echo(own);
      await echoed("before");
      const { session } = await wait();
      session.stop();
      await eventually(() => assert.ok(!lab.processes().some(({ command }) => command === "sleep 300")));
      await delay(100);
      await echoed("after");
    } finally {
      own.kill("SIGKILL");
      writeFileSync(config, before);
    }
    await nothingLeft();
  });
});

/** Waits until a process that runs `cat` has returned a line. */
function echo({ stdin, stdout }: ChildProcess): (word: string) => Promise<void> {
  let output = "";
  stdout?.on("data", (data: Buffer) => (output += data.toString()));
  return async (word) => {
    stdin?.write(`${word}\n`);
    await eventually(() => assert.match(output, new RegExp(word)));
  };
}
