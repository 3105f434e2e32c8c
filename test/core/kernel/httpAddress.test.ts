import assert from "node:assert/strict";
import {
  isLoopbackHost,
  originOf,
  parseQuery,
  percentDecode,
  percentEncode,
  readHttpAddress,
} from "../../../src/core/kernel/httpAddress.ts";

const problemOf = (text: string): string => {
  const reading = readHttpAddress(text);
  return "problem" in reading ? reading.problem : "none";
};

describe("readHttpAddress", () => {
  it("returns the origin in lower case and without the default port", () => {
    assert.equal(originOf(" HTTPS://API.Example.com:443/v1 "), "https://api.example.com");
    assert.equal(originOf("http://127.0.0.1:80/"), "http://127.0.0.1");
    assert.equal(originOf("http://[::1]:8080/v1"), "http://[::1]:8080");
  });

  it("agrees with the URL standard about the origin of every address it accepts", () => {
    const addresses = [
      "https://a.example/v1",
      "https://a.example:8443/v1?x=1#y",
      "http://localhost:0080/v1",
      "http://[::1]:9/",
      "https://a_b.example-c.test/x/../y",
      "https://1.2.3.4",
    ];
    for (const address of addresses) assert.equal(originOf(address), new URL(address).origin, address);
  });

  it("rejects what the URL standard would silently repair or hide", () => {
    assert.equal(problemOf("https:\\\\evil.example\\v1"), "scheme");
    assert.equal(problemOf("https://good.example\\@evil.example/v1"), "characters");
    assert.equal(problemOf("https://good.example\t.evil.example/"), "characters");
    assert.equal(problemOf("https://good.example@evil.example/v1"), "userInfo");
    assert.equal(problemOf("https://user:pass@host.example"), "userInfo");
    assert.equal(problemOf("https://a.example%2eevil.example/"), "host");
    assert.equal(problemOf("https://a.exam\u202eple/"), "characters");
    assert.equal(problemOf("https://a..example/"), "host");
  });

  it("rejects text that isn't an address at all", () => {
    assert.equal(problemOf(""), "empty");
    assert.equal(problemOf("api.example.com/v1"), "scheme");
    assert.equal(problemOf("localhost:8080/v1"), "scheme");
    assert.equal(problemOf("ftp://a.example"), "scheme");
    assert.equal(problemOf("https:///v1"), "host");
    assert.equal(problemOf("https://a.example:99999"), "port");
    assert.equal(problemOf("https://a.example:x"), "port");
  });
});

describe("isLoopbackHost", () => {
  it("accepts this machine's names, and none that only look like them", () => {
    for (const host of ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"]) {
      assert.ok(isLoopbackHost(host), host);
    }
    for (const host of [
      "127.evil.example",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "app.localhost",
      "10.0.0.1",
    ]) {
      assert.ok(!isLoopbackHost(host), host);
    }
  });
});

describe("percentEncode", () => {
  it("encodes everything that a server could read differently, and always succeeds", () => {
    assert.equal(percentEncode("a-b_c.d~9"), "a-b_c.d~9");
    assert.equal(percentEncode("it's (a+b) * 2!"), "it%27s%20%28a%2Bb%29%20%2A%202%21");
    assert.equal(percentEncode("\ud800x"), "%EF%BF%BDx");
  });
});

describe("percentDecode", () => {
  it("keeps text that isn't encoded correctly", () => {
    assert.equal(percentDecode("a%20b"), "a b");
    assert.equal(percentDecode("100%"), "100%");
    assert.equal(percentDecode("%ff"), "%ff");
  });
});

describe("parseQuery", () => {
  it("returns decoded names and values in their order, with empty values and signs in values", () => {
    assert.deepEqual(parseQuery("a=1&a=x%26y&&b=p+q&c=&d&e=f=g"), [
      ["a", "1"],
      ["a", "x&y"],
      ["b", "p q"],
      ["c", ""],
      ["d", ""],
      ["e", "f=g"],
    ]);
  });
});
