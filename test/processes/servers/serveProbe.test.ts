import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { serveProbeSteps } from "../../../src/core/servers/serve/probeScript.ts";
import { readServeProbe } from "../../../src/core/servers/serve/serveProbe.ts";
import type { ServeProbe } from "../../../src/core/servers/serve/serveProbe.ts";
import { installModels } from "../../support/standInModels.ts";
import { SshLab, labShells } from "../../support/sshLab.ts";

const nvidia = `case "$*" in
*query-gpu*) echo "0, 95, 71000, 81559, 60, 650.00, NVIDIA H100 80GB HBM3"; echo "1, 0, 4, 81559, 40, 70.00, NVIDIA H100 80GB HBM3" ;;
*query-compute-apps*) echo "GPU-aaaa, $(cut -d " " -f 4 /proc/$PPID/stat), 70000, python" ;;
-L) echo "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-aaaa)"; echo "GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-bbbb)" ;;
esac`;

describe("What a server has for serving models", function () {
  this.timeout(60_000);
  let lab: SshLab;

  before(async function () {
    lab = await SshLab.openHere(this);
    installModels(lab.home);
    lab.standIn("nvidia-smi", nvidia);
    lab.standIn("docker", `case "$1" in ps) echo "web 127.0.0.1:8000->80/tcp" ;; esac`);
  });
  after(() => lab?.close());

  async function probe(): Promise<ServeProbe> {
    return readServeProbe(await lab.run(serveProbeSteps));
  }

  it("is found with every login shell, and nothing is written", async () => {
    // The shell "fish" has files of its own.
    const files = (): number =>
      readdirSync(lab.home, { recursive: true, encoding: "utf8" }).filter(
        (name) => !/fish|^\.config$|share$/.test(name),
      ).length;
    const before = files();
    for (const shell of labShells.filter((each) => lab.hasShell(each))) {
      lab.useShell(shell, "echo Welcome");
      const { models, runtimes, gpus, home } = await probe();
      assert.equal(home, lab.home);
      assert.deepEqual(
        runtimes.map(({ kind, version, program }) => [kind, version, program.replace(`${lab.home}/`, "")]),
        [
          ["vllm", "0.9.1", "gpu env/.venv/bin/vllm"],
          ["llama.cpp", "", ".local/bin/llama-server"],
        ],
        shell,
      );
      assert.deepEqual(
        models.map(({ name, source, bytes, isPartial }) => [name, source, bytes, isPartial]),
        [
          ["it's $(touch broken) 1", "gguf", 8, false],
          ["lab/broken-8B", "hub", 4_000, false],
          ["lab/half", "hub", 3_000, true],
          ["Qwen/Qwen2.5-7B-Instruct", "hub", 4_000, false],
        ],
        shell,
      );
      assert.equal(models.at(-1)?.shape.bytesPerToken, 57_344);
      assert.deepEqual(
        gpus?.samples.map(({ memoryUsedMiB, name }) => [memoryUsedMiB, name]),
        [
          [71_000, "NVIDIA H100 80GB HBM3"],
          [4, "NVIDIA H100 80GB HBM3"],
        ],
        shell,
      );
      const [holder] = gpus?.processes ?? [];
      assert.deepEqual([holder?.gpu, holder?.memoryMiB, holder?.isOwn], [0, 70_000, true], shell);
    }
    lab.useShell("sh");
    assert.equal(files(), before);
    assert.equal(existsSync(join(lab.home, "broken")), false);
  });

  it("includes what listens, whose it is, and what it serves", async () => {
    const server = createServer((_request, response) => {
      response.end(JSON.stringify({ object: "list", data: [{ id: "llama3.3:70b", owned_by: "library" }] }));
    });
    const closed = createServer((_request, response) => response.writeHead(401).end());
    const web = createServer((_request, response) => response.end("<html>"));
    const listen = (each: typeof server, ports: readonly number[]): Promise<number> =>
      new Promise((resolve, reject) => {
        const [port, ...rest] = ports;
        each.once("error", (error) => (rest.length > 0 ? resolve(listen(each, rest)) : reject(error)));
        each.listen(port, "127.0.0.1", () => resolve(port ?? 0));
      });
    const [open, locked, page] = [
      await listen(server, [11_437, 11_438]),
      await listen(closed, [8_086, 8_087]),
      await listen(web, [8_006, 8_007]),
    ];
    try {
      const { endpoints, taken } = await probe();
      const found = endpoints.filter(({ port }) => [open, locked, page].includes(port));
      const owner = process.getuid?.() === 0 ? "root" : lab.user;
      assert.deepEqual(
        found.map(({ port, owner: whose, isOwn, models, needsKey, program }) => [
          ...[port, whose, isOwn, models, needsKey, program],
        ]),
        [
          [open, owner, owner === lab.user, ["llama3.3:70b"], false, "Ollama"],
          [locked, owner, owner === lab.user, undefined, true, ""],
        ].toSorted(
          (first, second) =>
            endpoints.findIndex(({ port }) => port === first[0]) -
            endpoints.findIndex(({ port }) => port === second[0]),
        ),
      );
      assert.ok(taken.has(page));
    } finally {
      for (const each of [server, closed, web]) each.close();
    }
  });

  it("is read without what a sick GPU tool doesn't report", async function () {
    lab.standIn("nvidia-smi", "exec sleep 60");
    const { gpus, models } = await probe();
    assert.deepEqual([gpus, models.length], [undefined, 4]);
    lab.standIn("nvidia-smi", nvidia);
  });

  it("is nothing but data, whatever a server prints", () => {
    const hostile = [
      "IG1 runtime vllm 1 relative/path",
      "IG1 runtime vllm 1 /a\u001b[31mb",
      "IG1 runtime evil 1 /bin/sh",
      "IG1 weights 1 1 whole /m\u202eodel",
      "IG1 weights 99999999999999999999 1 whole /model",
      "IG1 gguf x 1 /a.gguf",
      "IG1 config {",
      "IG1 constructor x",
      "IG1 __proto__ x",
      "IG1 listen zz 1",
      `IG1 served 8000 ${"[".repeat(40_000)} 200`,
      "IG1 user 0 " + "a".repeat(100_000),
      "a".repeat(1_000_000),
    ];
    const probe = readServeProbe(hostile);
    assert.deepEqual([probe.runtimes, probe.models, probe.endpoints], [[], [], []]);
    const many = Array.from({ length: 5_000 }, (_, index) => `IG1 gguf 1 1 /${index}.gguf`);
    assert.ok(readServeProbe(many).models.length <= 300);
  });
});
