import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { readServerJobs } from "../../../src/core/servers/jobs/job.ts";
import type { Job, JobEnvironment, ServerJobsReport } from "../../../src/core/servers/jobs/job.ts";
import {
  listSteps,
  logSteps,
  probeSteps,
  removeSteps,
  runningSteps,
  secretSteps,
  startSteps,
  stopSteps,
  toldSteps,
} from "../../../src/core/servers/jobs/jobScripts.ts";
import { beginMark, remoteScript, sshArguments } from "../../../src/core/servers/connect/sshSession.ts";
import { RemoteSession } from "../../../src/processes/servers/remoteSession.ts";
import { eventually } from "../../support/eventually.ts";
import { SshLab, labShells } from "../../support/sshLab.ts";

const login: JobEnvironment = { kind: "login", path: "", label: "Login shell" };

describe("A job on a server", function () {
  this.timeout(60_000);
  let lab: SshLab;

  before(async function () {
    lab = await SshLab.openHere(this);
  });
  after(() => lab?.close());

  async function run(steps: string): Promise<ServerJobsReport> {
    return readServerJobs(await lab.run(steps), Date.now());
  }

  async function start(command: string, environment = login, folder = "~"): Promise<string> {
    const id = randomBytes(8).toString("hex");
    const { failure, jobs } = await run(startSteps({ id, command, environment, folder }));
    assert.equal(failure, undefined);
    assert.ok(jobs.some((job) => job.id === id && job.command === command));
    return id;
  }

  async function jobOf(id: string): Promise<Job> {
    const job = (await run(listSteps)).jobs.find((each) => each.id === id);
    assert.ok(job !== undefined);
    return job;
  }

  const stateFolder = (id: string): string => join(lab.home, ".cache/inference-gateway/jobs", id);
  const running = (command: string): number =>
    lab.processes().filter((each) => each.command === command).length;

  function end(command: string): void {
    for (const each of lab.processes()) if (each.command === command) process.kill(each.pid);
  }

  async function ended(id: string, state: Job["state"] = "finished"): Promise<Job> {
    await eventually(async () => assert.equal((await jobOf(id)).state, state));
    return await jobOf(id);
  }

  it("survives the connection with every login shell, keeps its exit code, and is private", async () => {
    for (const shell of labShells.filter((each) => lab.hasShell(each))) {
      lab.useShell(shell, "echo Welcome");
      const id = await start("echo to the log; sleep 0.5; sh -c 'exit 3'");
      await eventually(() => assert.deepEqual(lab.sessionProcesses(), []));
      const { exitCode, lastLine, endedAt = 0, startedAt } = await ended(id);
      assert.deepEqual([exitCode, lastLine], [3, "to the log"], shell);
      assert.ok(endedAt >= startedAt && Math.abs(endedAt - Date.now()) < 20_000);
      assert.equal(statSync(stateFolder(id)).mode & 0o777, 0o700);
      for (const file of readdirSync(stateFolder(id)))
        assert.equal(statSync(join(stateFolder(id), file)).mode & 0o077, 0, file);
      await run(removeSteps([id]));
    }
    lab.useShell("sh");
    assert.equal(existsSync(join(lab.home, ".cache/inference-gateway")), false);
    assert.deepEqual(lab.processes(), []);
  });

  for (const [what, profile] of [
    ["starts another shell instead", "export FROM_PROFILE=yes; exec /bin/bash"],
    ["starts another shell and waits for it", "export FROM_PROFILE=yes; /bin/bash"],
    ["ends the shell", "exit 3"],
    ["reads its input", "read x; export FROM_PROFILE=yes"],
  ] as const)
    it(`runs once if the user's profile ${what}`, async () => {
      const file = join(lab.home, ".profile");
      writeFileSync(file, profile);
      try {
        const id = await start('echo "from the profile: $FROM_PROFILE"');
        const isLeftOut = profile.startsWith("exit");
        assert.equal((await ended(id)).lastLine, `from the profile: ${isLeftOut ? "" : "yes"}`.trim());
        await eventually(async () => assert.equal((await jobOf(id)).processes, 0));
        assert.equal(readFileSync(join(stateFolder(id), "log"), "utf8").split("\n").length, 2);
        await run(removeSteps([id]));
      } finally {
        rmSync(file);
      }
    });

  it("runs if a file that tcsh always reads starts another shell, and then still in the environment that was chosen", async function () {
    if (!lab.hasShell("tcsh")) this.skip();
    lab.useShell("tcsh");
    const file = join(lab.home, ".cshrc");
    const conda = lab.makeFolder("opt/base/bin");
    const venv = lab.makeFolder("mine/.venv");
    const inVenv: JobEnvironment = { kind: "venv", path: venv, label: "mine/.venv" };
    try {
      for (const [rc, environment, expected] of [
        ["exec /bin/bash", login, "ran in bash"],
        [`set path = ("${conda}" $path)`, inVenv, `${venv}/bin`],
        [`set path = ("${conda}" $path); exec /bin/bash`, inVenv, `${venv}/bin`],
      ] as const) {
        writeFileSync(file, rc);
        const id = await start(
          environment === login
            ? 'echo "ran in ${BASH_VERSION:+bash}"; exit 3'
            : "printenv PATH | cut -d : -f 1; sh -c 'exit 3'",
          environment,
        );
        const { lastLine, exitCode } = await ended(id);
        assert.deepEqual([lastLine, exitCode], [expected, 3], rc);
        await run(removeSteps([id]));
      }
    } finally {
      rmSync(file, { force: true });
      lab.useShell("sh");
    }
  });

  it("runs what was typed in the folder that was typed, whatever they contain", async () => {
    const folder = `it's "here" $(touch broken) \`id\` ü -x`;
    lab.makeFolder(folder);
    const command = `printf '%s|' "$PWD" "it's" '$HOME' \`echo tick\` "\\$(no)"; umask; touch made`;
    const { lastLine, exitCode } = await ended(await start(command, login, `~/${folder}`));
    assert.equal(lastLine, `${lab.home}/${folder}|it's|$HOME|tick|$(no)|0022`);
    assert.equal(exitCode, 0);
    assert.deepEqual(readdirSync(join(lab.home, folder)), ["made"]);
    assert.equal(existsSync(join(lab.home, "broken")), false);
    const { failure, jobs } = await run(
      startSteps({ id: "0".repeat(16), command, environment: login, folder: "/no/such folder" }),
    );
    assert.deepEqual([failure, jobs], ["noFolder", []]);
    for (const { id } of (await run(listSteps)).jobs) await run(removeSteps([id]));
  });

  it("uses the environment that was found and chosen", async () => {
    const project = lab.makeFolder("project");
    const venv = lab.makeFolder("project/my venv");
    for (const each of [join(project, ".venv"), venv]) {
      mkdirSync(join(each, "bin"), { recursive: true });
      writeFileSync(join(each, "pyvenv.cfg"), "home = /usr/bin\nversion = 3.11.2\n");
    }
    const conda = lab.makeFolder("miniconda3/envs/torch");
    mkdirSync(join(conda, "conda-meta"));
    mkdirSync(join(conda, "etc/conda/activate.d"), { recursive: true });
    writeFileSync(
      join(conda, "etc/conda/activate.d/a.sh"),
      "if [[ -n $CONDA_PREFIX ]]; then export FROM_CONDA=1; fi\n",
    );
    const { environments, account, home, folder } = await run(probeSteps("~/project"));
    assert.deepEqual([account, home, folder], [lab.user, lab.home, project]);
    assert.deepEqual(
      environments.map(({ kind, label }) => [kind, label]),
      [
        ["venv", "project/.venv, Python 3.11"],
        ["conda", "conda: torch"],
      ],
    );
    for (const environment of environments) {
      const command = 'echo "$VIRTUAL_ENV|$CONDA_PREFIX|$FROM_CONDA|${PATH%%:*}"';
      const { lastLine, environment: label } = await ended(await start(command, environment));
      const { path: at } = environment;
      assert.equal(lastLine, environment.kind === "venv" ? `${at}|||${at}/bin` : `|${at}|1|${at}/bin`);
      assert.equal(label, environment.label);
    }
    for (const { id } of (await run(listSteps)).jobs) await run(removeSteps([id]));
  });

  it("is stopped with everything it has started, also what ignores the request, and nothing else is", async () => {
    // The same program, started by the user, in a session of its own.
    const own = spawn(lab.program, [...sshArguments({ target: lab.target })], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    own.stdin.write("exec sleep 311\n");
    await eventually(() => assert.equal(running("sleep 311"), 1));
    const id = await start("(trap '' TERM; sleep 312 & wait; sleep 312) & sleep 311");
    await eventually(() => assert.deepEqual([running("sleep 311"), running("sleep 312")], [2, 1]));
    assert.equal((await jobOf(id)).state, "running");
    const { jobs } = await run(stopSteps(id, 1));
    assert.deepEqual([running("sleep 311"), running("sleep 312")], [1, 0]);
    assert.deepEqual(
      jobs.map(({ state, exitCode }) => [state, exitCode]),
      [["stopped", 143]],
    );
    await run(removeSteps([id]));
    end("sleep 311");
  });

  it("keeps what nobody else may read out of lists, arguments and the command, and gives it to the command", async () => {
    const key = `it's "a" $KEY \\n`;
    const id = randomBytes(8).toString("hex");
    const details = JSON.stringify({ port: 8000, model: "ü 'x' \\" });
    const order = {
      id,
      command: "printenv VLLM_API_KEY; sleep 317",
      environment: login,
      folder: "~",
      details,
    };
    const { jobs } = await run(startSteps({ ...order, secrets: { VLLM_API_KEY: key } }));
    assert.deepEqual(
      jobs.map((job) => [job.command, job.details]),
      [[order.command, details]],
    );
    await eventually(() => assert.equal(running("sleep 317"), 1));
    assert.ok(!lab.processes().some(({ command }) => command.includes(key)));
    assert.equal(statSync(join(stateFolder(id), "env")).mode & 0o777, 0o600);
    assert.ok((await lab.run(secretSteps(id))).join("").startsWith("VLLM_API_KEY="));
    await run(stopSteps(id, 1));
    assert.equal((await jobOf(id)).state, "stopped");
    assert.equal(readFileSync(join(stateFolder(id), "log"), "utf8").split("\n")[0], key);
    assert.equal(existsSync(join(stateFolder(id), "env")), false);
    assert.throws(() => startSteps({ ...order, secrets: { KEY: "a\nIG_SECRETS\nrm -rf" } }), TypeError);
    await run(removeSteps([id]));
  });

  it("is asked to end before what it has started, also if a shell or a script runs it", async () => {
    lab.write("home lab/worker", "trap 'echo worker; exit' TERM; sleep 318 & wait; sleep 319");
    lab.write("home lab/served", "trap 'echo served; exit 5' TERM; ./worker & wait; sleep 320");
    for (const command of [
      "./served",
      "./served; true",
      "sh -c './served; true'",
      `sh -ec "bash -c './served; true'; :"`,
    ]) {
      const id = await start(command);
      await eventually(() => assert.equal(running("sleep 318"), 1));
      const since = Date.now();
      const { jobs } = await run(stopSteps(id));
      assert.equal(jobs.find((job) => job.id === id)?.lastLine, "worker", command);
      assert.ok(Date.now() - since < 25_000, command);
      const lines = readFileSync(join(stateFolder(id), "log"), "utf8").split("\n");
      const said = lines.filter((line) => line !== "Terminated");
      assert.deepEqual(said, ["served", "worker", ""], command);
      assert.equal(running("sleep 318"), 0);
      await run(removeSteps([id]));
    }
  });

  it("is never mistaken for another process that has its number", async () => {
    const id = await start("sleep 313");
    const other = spawn(lab.program, [...sshArguments({ target: lab.target })], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    other.stdin.write("exec setsid -w sleep 314\n");
    await eventually(() => assert.equal(running("sleep 314"), 1));
    const pid = lab.processes().find(({ command }) => command === "sleep 314")?.pid ?? 0;
    const file = join(stateFolder(id), "pid");
    const noted = readFileSync(file, "utf8");
    const [, startTime = "", , boot = ""] = noted.trim().split(" ");
    for (const [wrong, state] of [
      [`${pid} ${startTime} ${pid} ${boot}`, "ended"],
      [`${pid} ${startTime} ${pid} another`, "restarted"],
      [`-1 -1 -1 ${boot}`, "ended"],
      ["1", "ended"],
    ]) {
      writeFileSync(file, `${wrong}\n`);
      assert.equal((await jobOf(id)).state, state, wrong);
      await run(stopSteps(id));
      assert.deepEqual([running("sleep 313"), running("sleep 314")], [1, 1]);
    }
    writeFileSync(file, noted);
    await run(stopSteps(id));
    assert.deepEqual([running("sleep 313"), running("sleep 314")], [0, 1]);
    end("sleep 314");
    await run(removeSteps([id]));
  });

  it("is told apart when it is killed, when it leaves processes, and when the server restarts", async () => {
    const killed = await start("kill -9 $PPID; sleep 3");
    await eventually(async () => assert.equal((await jobOf(killed)).processes, 2));
    // Its process has ended, but what it has started is recognized by its variable, and can be stopped.
    assert.equal((await jobOf(killed)).state, "running");
    await run(removeSteps([killed]));
    assert.ok(existsSync(stateFolder(killed)));
    await eventually(async () => assert.equal((await jobOf(killed)).state, "ended"));
    writeFileSync(join(stateFolder(killed), "started"), `1000 ${hostname()}\n`);
    assert.equal((await jobOf(killed)).state, "restarted");
    // A home folder can be shared, and the job may run on the other host.
    writeFileSync(join(stateFolder(killed), "started"), "1000 another-host\n");
    assert.equal((await jobOf(killed)).state, "elsewhere");
    const orphaned = await start("kill -9 $PPID; sleep 315");
    await eventually(async () => assert.equal((await jobOf(orphaned)).processes, 2));
    await run(stopSteps(orphaned, 1));
    assert.deepEqual([running("sleep 315"), (await jobOf(orphaned)).state], [0, "stopped"]);
    const leaving = await start("sleep 316 & exit 0");
    assert.deepEqual([(await ended(leaving)).exitCode, (await jobOf(leaving)).processes], [0, 1]);
    await run(stopSteps(leaving, 1));
    assert.equal(running("sleep 316"), 0);
    await run(toldSteps([leaving, "f".repeat(16)]));
    assert.deepEqual([(await jobOf(leaving)).isTold, (await jobOf(killed)).isTold], [true, false]);
    // The files of the user in the folder of the job stay.
    writeFileSync(join(stateFolder(leaving), "mine"), "");
    await run(removeSteps([killed, leaving, orphaned]));
    assert.deepEqual(readdirSync(join(lab.home, ".cache/inference-gateway/jobs")), [leaving]);
    assert.deepEqual(readdirSync(stateFolder(leaving)), ["mine"]);
  });

  it("is listed although it has filled the disk, and has a place for its exit code", async () => {
    const id = await start("sleep 322");
    assert.ok(statSync(join(stateFolder(id), "exit.new")).size > 0);
    await run(stopSteps(id, 1));
    writeFileSync(join(stateFolder(id), "exit"), "");
    const { state, exitCode } = await jobOf(id);
    assert.deepEqual([state, exitCode], ["stopped", undefined]);
    await run(removeSteps([id]));
    assert.equal(existsSync(stateFolder(id)), false);
  });

  it("is listed before a stop with the VS Code windows that the account has open there", async () => {
    lab.write("home lab/node", "sleep 321");
    const id = await start("./node out/server-main.js --type=extensionHost & ./node --type=extensionHostX");
    await eventually(async () => assert.equal((await run(runningSteps)).windows, 1));
    assert.equal((await run(listSteps)).windows, 0);
    await run(stopSteps(id, 1));
    assert.equal((await run(runningSteps)).windows, 0);
    await run(removeSteps([id]));
  });

  it("shows its log to two sessions while it runs, which leave nothing behind", async () => {
    const id = await start("printf 'one\\n'; sleep 1.5; echo two");
    const logs = await Promise.all([1, 2].map(() => readLog(id)));
    assert.deepEqual(logs, ["one\ntwo\n", "one\ntwo\n"]);
    assert.equal(await readLog(id), "one\ntwo\n");
    await run(removeSteps([id]));
    await eventually(() => assert.deepEqual(lab.processes(), []));
  });

  function readLog(id: string): Promise<string> {
    let output = "";
    return new Promise((resolve) => {
      new RemoteSession({
        ...{ program: lab.program, args: sshArguments({ target: lab.target }), patienceMs: 50_000 },
        script: remoteScript(logSteps(id)),
        onText: (text) => (output += text),
        onEnd: () => resolve(output.slice(output.indexOf(beginMark) + beginMark.length + 1)),
      });
    });
  }
});
