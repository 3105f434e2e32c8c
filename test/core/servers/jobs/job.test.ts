import assert from "node:assert/strict";
import { parseJobs, readServerJobs } from "../../../../src/core/servers/jobs/job.ts";
import type { Job } from "../../../../src/core/servers/jobs/job.ts";
import { jobDescription, jobLines } from "../../../../src/core/servers/jobs/jobText.ts";
import { assertLinearWork } from "../../../support/countedWork.ts";

const id = "0123456789abcdef";
const now = 1_800_000_000_000;
/** The server's clock is an hour behind. */
const server = "IG1 server 1799996400 1799000000";

function read(...lines: readonly string[]): Job | undefined {
  return readServerJobs([server, ...lines], now).jobs[0];
}

describe("The jobs that a server lists", () => {
  it("are told apart by how they have ended, in this machine's time", () => {
    const cases: readonly (readonly [string, Job["state"], number | undefined])[] = [
      ["1799996300 - - 3 -.pid", "running", undefined],
      // It is starting: nothing has been noted yet.
      ["1799996390 - - 0 -", "running", undefined],
      ["1799996300 - - 0 -", "ended", undefined],
      ["1799996300 - - 0 -.pid", "ended", undefined],
      ["1799996300 0 1799996399 0 -.pid.told", "finished", now - 1_000],
      ["1799996300 143 1799996399 0 -.pid.stopped", "stopped", now - 1_000],
      ["1798000000 - - 0 -.pid", "restarted", 1_799_003_600_000],
      // Its clock was wrong before it restarted.
      ["1799996300 - - 0 -.pid.boot", "restarted", now - 100_000],
      // The server has asked it to end before it restarted, or somebody else did long before.
      ["1798000000 143 1798999990 0 -.pid", "restarted", 1_799_003_600_000],
      ["1798000000 143 1798900000 0 -.pid", "finished", 1_798_903_600_000],
      ["1798000000 143 1798999990 0 -.pid.stopped", "stopped", 1_799_003_600_000],
      ["1798000000 - - 0 -.pid.other", "elsewhere", undefined],
    ];
    for (const [text, state, endedAt] of cases) {
      const job = read(`IG1 job ${id} ${text}`);
      assert.deepEqual([job?.state, job?.endedAt], [state, endedAt], text);
      assert.equal(job?.isTold, text.includes("told"));
      // Files of the server have times by its clock.
      assert.equal(job.startedAt - job.startedThere, 3_600_000);
    }
  });

  it("say that they were asked to stop, until they have", () => {
    const job = read(`IG1 job ${id} 1799996300 - - 2 -.pid.stopped`);
    assert.equal(job?.state, "running");
    assert.equal(jobDescription(job, now), "asked to stop, still running");
    assert.equal(read(`IG1 job ${id} 1799996300 - - 2 -.pid`)?.isAskedToStop, undefined);
  });

  it("are shown with ~ for the home folder, and stay what they are", () => {
    const texts = {
      command: "'/home/ann/venv/bin/vllm' serve --log=/home/ann/x /home/anna/y /mnt/home/ann/z",
      folder: "/home/ann/nanogpt",
      environment: "/home/ann/venv",
    };
    const lines = Object.entries(texts).map(([name, text]) => `IG1 ${name} ${text}`);
    const started = `IG1 job ${id} 1799996300 - - 2 -.pid`;
    const job = read("IG1 home /home/ann", started, ...lines);
    assert.deepEqual({ ...job, ...texts }, job);
    assert.ok(job !== undefined);
    assert.deepEqual(jobLines(job).slice(0, 3), [
      "'~/venv/bin/vllm' serve --log=~/x /home/anna/y /mnt/home/ann/z",
      "Folder: ~/nanogpt",
      "Environment: ~/venv",
    ]);
    for (const home of ["IG1 home ", "IG1 home /", "IG1"]) {
      const other = read(home, started, "IG1 folder /data");
      assert.equal(other && jobLines(other)[0], "Folder: /data");
    }
  });

  it("are read whatever a log, a name, or somebody else in the account prints", () => {
    const job = read(
      `IG1 job ${id} 1799996300 - - 1 -.pid`,
      "IG1 command python 'a b.py' $(x) \\n IG1 end 0",
      "IG1 folder /home/IG1 job",
      "IG1 last \u001b]0;title\u0007\u001b[31mstep 1/4\u001b[0m\rstep\u202e 2/4 \u0000",
      "IG1 details {}",
    );
    assert.deepEqual(
      [job?.command, job?.folder, job?.lastLine, job?.details],
      ["python 'a b.py' $(x) \\n IG1 end 0", "/home/IG1 job", "step 2/4", "{}"],
    );
    const broken = [
      "IG1 job ../../etc 1 - - 0 -",
      `IG1 job ${id}0 1 - - 0 -`,
      `IG1 job ${id} -1 - - 0 -`,
      `IG1 job ${id} 1 - - 99999999999999999999 -`,
      `IG1 job ${id} 1e9 - - 0 -`,
      `IG1 job ${id}`,
      "IG1 last without a job",
      "IG1 command rm -rf /",
      "IG1",
      "",
      "IG1 venv 3.11 relative/path",
      "IG1 conda - /opt/\u0007bell",
      "IG1 venv ",
    ];
    const report = readServerJobs(broken, now);
    assert.deepEqual([report.jobs, report.environments], [[], []]);
  });

  it("survive random lines, absurd numbers, and being stored, within bounds and in no time", () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const words = [
      "IG1",
      "job",
      "last",
      id,
      "-",
      "0",
      "999999999999",
      "-.pid",
      "\u001b[",
      "\r",
      "é".repeat(3_000),
      "",
    ];
    const marks = [
      "server",
      "job",
      "command",
      "folder",
      "environment",
      "details",
      "last",
      "venv",
      "conda",
      "cwd",
    ];
    for (let round = 0; round < 200; round++) {
      const lines = [...Array(60).keys()].map(() => {
        const length = random(8);
        const rest = [...Array(length).keys()].map(() => words[random(words.length)]);
        return ["IG1", marks[random(marks.length)], ...rest].join(" ");
      });
      const { jobs, environments } = readServerJobs(lines, now);
      assert.ok(jobs.length <= 200 && environments.length <= 100);
      for (const { lastLine, startedAt, endedAt = startedAt } of jobs) {
        assert.ok(lastLine.length <= 200);
        assert.ok(endedAt >= startedAt, lines.join("\n"));
        assert.ok(!Number.isNaN(new Date(startedAt).getTime()));
      }
      const stored: unknown = JSON.parse(JSON.stringify(jobs));
      assert.deepEqual(parseJobs(stored), JSON.parse(JSON.stringify(jobs)));
    }
    assertLinearWork(
      100_000,
      (size) => [`IG1 job ${id} 1 - - 1 -.pid`, `IG1 last ${"\u001b]".repeat(size)}`],
      (lines) => void read(...lines),
    );
    for (const value of [undefined, null, "x", [{ id: "../x" }], { length: 3 }])
      assert.deepEqual(parseJobs(value), []);
  });
});

describe("The row of a job", () => {
  it("begins with what failed, without the shell that says so", () => {
    const job: Job = {
      ...{ id: "0".repeat(16), command: "python train.py", folder: "~", environment: "Login shell" },
      ...{ state: "finished", exitCode: 127, processes: 0, isTold: false, lastLine: "" },
      ...{ startedAt: 1_000, startedThere: 1_000, endedAt: 1_000 },
    };
    const row = (lastLine: string, exitCode = 127): string =>
      jobDescription({ ...job, lastLine, exitCode }, 0);
    const said = "failed: python: not found · exit code 127 · after 0 s";
    for (const shell of ["/bin/sh: 1: ", "bash: line 1: ", "zsh:1: ", "sh: "])
      assert.equal(row(`${shell}python: not found`), said, shell);
    assert.equal(row("python: not found"), said);
    const other = "failed: ValueError: not sh: 1: x · exit code 1 · after 0 s";
    assert.equal(row("ValueError: not sh: 1: x", 1), other);
    assert.equal(row("", 1), "exit code 1 · after 0 s");
    assert.equal(row("done", 0), "exit code 0 after 0 s · done");
  });
});
