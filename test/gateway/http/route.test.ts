import assert from "node:assert/strict";
import { findRoute, isExcludedFromProxy, parseNoProxy } from "../../../src/gateway/http/route.ts";
import { isLoopbackHost } from "../../../src/core/kernel/httpAddress.ts";
import { plainSettings } from "./transportHarness.ts";

describe("No-proxy lists", () => {
  const cases: readonly (readonly [entry: string, url: string, isExcluded: boolean])[] = [
    ["*", "https://a.example/", true],
    ["a.example", "https://a.example/", true],
    ["A.Example", "https://a.example/", true],
    ["a.example", "https://b.a.example/", true],
    ["a.example", "https://ba.example/", false],
    [".a.example", "https://b.a.example/", true],
    [".a.example", "https://a.example/", true],
    ["*.a.example", "https://c.b.a.example/", true],
    ["*.a.example", "https://xa.example/", false],
    ["a.example:8443", "https://a.example:8443/", true],
    ["a.example:443", "https://a.example/", true],
    ["a.example:443", "http://a.example/", false],
    ["10.1.2.3", "https://10.1.2.3/", true],
    ["10.1.2.3:80", "http://10.1.2.3/", true],
    ["2.3", "https://10.1.2.3/", false],
    ["10.0.0.0/8", "https://10.1.2.3/", true],
    ["10.0.0.0/8", "https://11.1.2.3/", false],
    ["10.0.0.0/8", "https://a.example/", false],
    ["10.0.0.0/99", "https://10.1.2.3/", false],
    ["fd00::/8", "https://[fd12::1]/", true],
    ["fd00::/8", "https://[fe80::1]/", false],
    ["fd12::1", "https://[fd12::1]/", true],
    ["[fd12::1]", "https://[fd12::1]/", true],
    ["[fd12::1]:8443", "https://[fd12::1]:8443/", true],
    ["[fd12::1]:8443", "https://[fd12::1]/", false],
    ["", "https://a.example/", false],
    ["/", "https://a.example/", false],
  ];
  for (const [entry, url, isExcluded] of cases) {
    it(`“${entry}” ${isExcluded ? "excludes" : "does not exclude"} ${url}`, () => {
      assert.equal(isExcludedFromProxy(new URL(url), [entry]), isExcluded);
    });
  }

  it("from the environment are separated by commas or spaces", () => {
    assert.deepEqual(parseNoProxy(" a.example,b.example  c.example,"), [
      "a.example",
      "b.example",
      "c.example",
    ]);
  });
});

describe("The route to a server", () => {
  const url = new URL("https://gpu.example/");

  it("ignores the environment's no-proxy list if http.noProxy is set, like VS Code", () => {
    const environment = { NO_PROXY: "gpu.example", HTTPS_PROXY: "proxy.example:3128" };
    const route = findRoute(url, { ...plainSettings, environment, noProxy: ["other.example"] });
    assert.equal(route.proxy?.url.href, "http://proxy.example:3128/");
    assert.deepEqual(findRoute(url, { ...plainSettings, environment }), {});
  });

  it("keeps the password out of the proxy's URL", () => {
    const { proxy } = findRoute(url, { ...plainSettings, proxyUrl: "http://user:p%@proxy.example:3128" });
    assert.equal(proxy?.url.href, "http://proxy.example:3128/");
    assert.equal(proxy?.authorization, `Basic ${Buffer.from("user:p%").toString("base64")}`);
  });

  it("rejects a proxy that isn't a URL without repeating it", () => {
    const read = (): unknown => findRoute(url, { ...plainSettings, proxyUrl: "http://user:canary@:x" });
    assert.throws(
      read,
      (error: Error) => /http\.proxy/.test(error.message) && !error.message.includes("canary"),
    );
  });
});

describe("The loopback check", () => {
  for (const host of [
    "127.0.0.1",
    "127.255.1.2",
    "localhost",
    "LOCALHOST",
    "[::1]",
    "::1",
    "[::ffff:7f00:1]",
  ]) {
    it(`accepts ${host}`, () => assert.ok(isLoopbackHost(host)));
  }
  for (const host of [
    "127.example.com",
    "localhost.example.com",
    "128.0.0.1",
    "0.0.0.0",
    "[::2]",
    "notlocalhost",
  ]) {
    it(`rejects ${host}`, () => assert.ok(!isLoopbackHost(host)));
  }
});
