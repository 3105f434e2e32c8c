import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../../start/localGateway.ts", import.meta.url));

describe("npm run gateway", () => {
  async function run(args: readonly string[], until: RegExp): Promise<{ output: string; code: unknown }> {
    const child = spawn(process.execPath, [cli, ...args]);
    const exit = once(child, "exit");
    let output = "";
    const listen = (chunk: Buffer): void => {
      output += chunk.toString();
      if (until.test(output)) child.kill("SIGINT");
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    const [code] = (await exit) as [unknown];
    return { output, code };
  }

  it("prints addresses, temporary credentials and an example command, and exits on Ctrl+C", async () => {
    const { output, code } = await run(["--port", "0"], /Ctrl\+C stops it/);
    assert.match(output, /http:\/\/127\.0\.0\.1:\d+\/v1/);
    for (const name of ["API key", "Access Key", "API Secret", "Session token", "STS token", "curl -N"]) {
      assert.ok(output.includes(name), name);
    }
    assert.equal(code, 0);
  });
  it("prints machine-readable output when quiet", async () => {
    const { output } = await run(["--quiet"], /stsToken=.+\n/);
    assert.deepEqual(
      output.trim().split("\n").map((line) => line.split("=")[0]),
      ["inferenceBaseUrl", "gatewayUrl", "apiKey", "accessKey", "apiSecret", "sessionToken", "stsToken"],
    ); // prettier-ignore
  });
  it("explains an invalid flag, and fails", async () => {
    const number = await run(["--port", "many"], /never/);
    assert.match(number.output, /needs a number/);
    assert.equal(number.code, 1);
  });
});
