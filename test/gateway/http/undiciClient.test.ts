import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Client as PublicClient } from "undici";
import Client from "undici/lib/dispatcher/client.js";

const require = createRequire(import.meta.url);

/**
 * Our build uses only the client from undici. If a new version breaks one of these tests, check
 * `test/package/undiciAsUsed.js`.
 */
describe("undici's client alone", () => {
  it("is the one that undici exports", () => assert.equal(Client, PublicClient));

  it("still loads the modules that the build leaves out, and loads the parser as a file that has an uncompressed twin", () => {
    const folder = dirname(require.resolve("undici/lib/dispatcher/client.js"));
    const http1 = readFileSync(`${folder}/client-h1.js`, "utf8");
    assert.match(readFileSync(`${folder}/client.js`, "utf8"), /require\('\.\/client-h2\.js'\)/);
    assert.match(http1, /require\('\.\.\/web\/fetch\/body\.js'\)/);
    assert.match(http1, /llhttp_simd-wasm\.js/);
    assert.ok(existsSync(`${folder}/../llhttp/llhttp-wasm.js`));
  });
});
