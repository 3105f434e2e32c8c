import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { DemoMachine } from "./demoMachine.ts";

const training = "cd nanogpt && setsid python3 train.py >log 2>&1 </dev/null & sleep 3; nvidia-smi";
const serving = "VLLM_API_KEY=key CUDA_VISIBLE_DEVICES=7 setsid vllm serve demo --port";

describe("The GPU servers of the demo", () => {
  let machine: DemoMachine;

  before(async function () {
    const opened = await DemoMachine.open();
    if (opened === undefined) return this.skip();
    machine = opened;
  });

  after(async () => {
    await machine?.lab.close();
    assert.equal(existsSync(machine?.lab.home ?? ""), false);
  });

  async function run(command: string, address = "203.0.113.1"): Promise<string> {
    const args = ["-o", "BatchMode=yes", address, command];
    return (await promisify(execFile)(machine.lab.program, args)).stdout;
  }

  it("is reached at the address of the list, and its GPUs show the processes that really run there", async () => {
    assert.match(await run("nvidia-smi --query-gpu=index"), /^(?:\d, \d+, \d+, 81559, .*\n){8}$/);
    const apps = await run(`${training} --query-compute-apps=pid`);
    assert.match(apps, /GPU-00000006-demo, \d+, 39210, train\.py/);
    assert.match(await run("cat nanogpt/log"), /step 20\/4,000 · loss 2\.\d+/);
  });

  it("has an idle neighbor, which shares no processes and files with it", async () => {
    const idle = "203.0.113.2";
    assert.match(await run("nvidia-smi --query-gpu=index", idle), /^(?:\d, 0, 4, 81559, .*\n){8}$/);
    assert.equal(await run("nvidia-smi --query-compute-apps=pid; ls", idle), "");
  });

  it("serves a model on a port that only the server itself reaches, with a key", async () => {
    const url = "http://127.0.0.1:18431/v1";
    const wait = `for i in $(seq 60); do curl -s ${url}/models && break; sleep 0.5; done`;
    assert.match(await run(`${serving} 18431 >log 2>&1 </dev/null & ${wait}`), /Unauthorized/);
    const body = JSON.stringify({ stream: true, messages: [{ role: "user", content: "Hello" }] });
    const text = await run(`curl -s -H 'authorization: Bearer key' -d '${body}' ${url}/chat/completions`);
    assert.match(text, /^data: \{.*"delta": \{"content": "This"\}/);
    assert.match(text, /data: \[DONE\]\n\n$/);
  });

  it("has a folder of its own for files, as an ordinary account", async () => {
    assert.match(await run("echo text >file && mkdir -p .cache/new && ls"), /file\nlog\nnanogpt/);
    assert.ok(existsSync(join(machine.lab.home, "file")));
  });
});
