import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readServerJobs } from "../../../src/core/servers/jobs/job.ts";
import {
  listSteps,
  secretSteps,
  startSteps,
  stopSteps,
  tailSteps,
} from "../../../src/core/servers/jobs/jobScripts.ts";
import { gpuLookSteps } from "../../../src/core/servers/gpu/gpuScript.ts";
import { sshArguments } from "../../../src/core/servers/connect/sshSession.ts";
import { fitModel } from "../../../src/core/servers/serve/modelFit.ts";
import {
  freePortOf,
  keyVariableOf,
  pairsOf,
  serveCommand,
} from "../../../src/core/servers/serve/serveCommand.ts";
import { explainServeFailure } from "../../../src/core/servers/serve/serveFailure.ts";
import { serveProbeSteps } from "../../../src/core/servers/serve/probeScript.ts";
import { heldMemory } from "../../../src/core/servers/serve/servedModel.ts";
import type { ServedModel } from "../../../src/core/servers/serve/servedModel.ts";
import { readServeProbe } from "../../../src/core/servers/serve/serveProbe.ts";
import { SshTunnel } from "../../../src/processes/servers/tunnel.ts";
import { eventually } from "../../support/eventually.ts";
import { installModels, modelGpus } from "../../support/standInModels.ts";
import { SshLab } from "../../support/sshLab.ts";

const key = "c4a1".repeat(16);

describe("A model served over SSH", function () {
  this.timeout(120_000);
  let lab: SshLab;
  const tunnels: SshTunnel[] = [];

  before(async function () {
    lab = await SshLab.openHere(this);
    lab.makeFolder(".cache");
    installModels(lab.home);
    lab.standIn("nvidia-smi", modelGpus);
  });
  after(async () => {
    for (const tunnel of tunnels) tunnel.stop();
    await lab?.close();
  });

  /** Starts the model of this name as the product does. Resolves with the port of the server. */
  async function serve(id: string, name: string): Promise<number> {
    const probe = readServeProbe(await lab.run(serveProbeSteps));
    const pair = pairsOf(probe).find(({ model }) => model.name.includes(name));
    assert.ok(pair !== undefined);
    const fit = fitModel(pair.model.bytes, pair.model.shape, [], 100);
    const port = freePortOf(probe, pair.runtime);
    const command = serveCommand({ ...pair, fit, port });
    const environment = { kind: "login", path: "", label: "Login shell" } as const;
    const secrets = { [keyVariableOf(pair.runtime.kind) ?? ""]: key };
    const lines = await lab.run(
      startSteps({ id, command, environment, folder: "~", details: "{}", secrets }),
    );
    assert.equal(readServerJobs(lines, Date.now()).failure, undefined);
    return port;
  }

  async function ask(port: number, path_: string, as = key): Promise<{ status: number; text: string }> {
    const response = await fetch(`http://127.0.0.1:${port}${path_}`, {
      headers: { authorization: `Bearer ${as}` },
      ...(path_.endsWith("completions") ? { method: "POST", body: "{}" } : {}),
    }).catch(() => undefined);
    return { status: response?.status ?? 0, text: (await response?.text()) ?? "" };
  }

  it("responds through a tunnel that connects when it is used, survives it, and is gone after Stop", async () => {
    const id = "0123456789abcdef";
    const other = spawn(lab.program, [...sshArguments({ target: lab.target })], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    other.stdin.write("exec sleep 472\n");
    const port = await serve(id, "Qwen");
    const options = {
      placeOf: () => Promise.resolve({ target: lab.target }),
      remote: { host: "127.0.0.1", port },
    };
    for (const local of [28_471, 28_471]) {
      // The second is another window, after the first was killed.
      const tunnel = await SshTunnel.wait(options, local);
      assert.ok(tunnel !== undefined);
      tunnels.push(tunnel);
      assert.equal(await SshTunnel.wait(options, local), undefined);
      await eventually(async () => assert.equal((await ask(local, "/v1/models")).status, 200));
      assert.match((await ask(local, "/v1/models")).text, /Qwen2\.5-7B-Instruct/);
      assert.equal((await ask(local, "/v1/models", "wrong")).status, 401);
      assert.match((await ask(local, "/v1/chat/completions")).text, /served model[^]*\[DONE\]/);
      tunnel.stop();
    }
    // Whoever finds it again has the key, and nobody else sees it.
    assert.ok((await lab.run(secretSteps(id))).some((line) => line.includes(key)));
    assert.ok(lab.processes().every(({ command }) => !command.includes(key)));
    const folder = join(lab.home, ".cache/inference-gateway/jobs", id);
    for (const file of readdirSync(folder).filter((name) => name !== "env"))
      assert.ok(!readFileSync(join(folder, file), "utf8").includes(key), file);
    const running = (command: string): number =>
      lab.processes().filter((each) => each.command.includes(command)).length;
    assert.equal(running("sleep 471"), 1);
    const served: ServedModel = {
      ...{ serves: 1, name: "Qwen", runtime: "vllm", port, gpus: [0, 1], usedMiB: [4, 4], folder: "" },
    };
    /** The GPUs that hold more than before, and whose processes hold it. */
    const held = async (): Promise<unknown> =>
      heldMemory(served, readServeProbe(await lab.run(gpuLookSteps)).gpus).map(({ gpu, holders }) => [
        gpu,
        holders.map(({ pid, isOwn }) => [pid, isOwn]),
      ]);
    const theirs = [1, [[process.pid, process.getuid?.() !== 0]]];
    assert.deepEqual(await held(), [[0, []], theirs]);
    await lab.run(stopSteps(id, 3));
    assert.deepEqual(await held(), [theirs]);
    assert.deepEqual([running("sleep 471"), running("server.py"), running("sleep 472")], [0, 0, 1]);
    other.kill();
  });

  it("explains by its log why it ended", async () => {
    const id = "fedcba9876543210";
    await serve(id, "broken");
    await eventually(async () => {
      const job = readServerJobs(await lab.run(listSteps), Date.now()).jobs.find((each) => each.id === id);
      assert.deepEqual([job?.state, job?.exitCode], ["finished", 1]);
    });
    const failure = explainServeFailure((await lab.run(tailSteps(id))).join("\n"), 1);
    assert.deepEqual([failure.kind, failure.remedy?.kind], ["outOfMemory", "context"]);
    assert.match(failure.line, /CUDA out of memory/);
  });
});
