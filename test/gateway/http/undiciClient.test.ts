import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";

const client = new URL("../../../src/gateway/http/undiciClient.ts", import.meta.url).href;

/** What the script prints, in a process in which undici hasn't been loaded yet. */
function run(script: string): unknown {
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

const dispatchers = `Object.getOwnPropertySymbols(globalThis)
  .filter(({ description }) => description.startsWith("undici.globalDispatcher."))
  .map((symbol) => globalThis[symbol] ?? null)`;

describe("undici's client", () => {
  it("leaves the dispatcher that fetch uses in the whole process as it is", () => {
    const found = run(`
      globalThis[Symbol.for("undici.globalDispatcher.1")] = "VS Code's own";
      await import(${JSON.stringify(client)});
      console.log(JSON.stringify(${dispatchers}));`);
    assert.deepEqual(found, ["VS Code's own", null]);
  });

  it("leaves fetch working if nothing has used it yet", () => {
    const found = run(`
      const { createServer } = await import("node:http");
      const server = createServer((_, response) => response.end("ok")).listen(0, "127.0.0.1");
      await new Promise((resolve) => server.once("listening", resolve));
      await import(${JSON.stringify(client)});
      const response = await fetch("http://127.0.0.1:" + server.address().port);
      console.log(JSON.stringify(await response.text()));
      process.exit();`);
    assert.equal(found, "ok");
  });
});
