import assert from "node:assert/strict";
import {
  parametersText,
  readParameters,
  readRequestPath,
  exactJsonText,
  responseDocument,
} from "../../../../src/core/servers/actions/signedRequest.ts";

describe("A signed request", () => {
  it("splits a path with a query", () => {
    assert.deepEqual(readRequestPath("/gpu/api/v1/servers?a=1+2&b=%C3%A4&c="), {
      path: "/gpu/api/v1/servers",
      parameters: [
        ["a", "1 2"],
        ["b", "ä"],
        ["c", ""],
      ],
    });
  });

  it("doesn't double what the profile's address contains", () => {
    const path = (text: string, address?: string): unknown => {
      const reading = readRequestPath(text, address);
      return "path" in reading ? reading.path : reading.problem;
    };
    for (const address of ["https://lab.example/api/v1", "https://lab.example/api/v1/"])
      for (const text of ["/models", "/api/v1/models", " https://lab.example/api/v1/models"])
        assert.equal(path(text, address), "/models");
    assert.equal(path("/v1/models", "https://lab.example"), "/v1/models");
    assert.equal(path("https://gpu.example/v1/servers", "https://gpu.example"), "/v1/servers");
    assert.equal(path("/v10/models", "https://lab.example/v1"), "/v10/models");
    assert.match(String(path("https://evil.example/x", "https://lab.example")), /Enter only the path/);
  });

  for (const path of [
    "",
    "/",
    "servers",
    "https://evil.example/x",
    "//evil.example/x",
    "/a/../../b",
    "/a/%2e%2E/b",
    "/a b",
    "/a\\b",
    "/a#b",
    "/a?token=canary",
    "/a?signature=canary",
  ]) {
    it(`is not sent to ${JSON.stringify(path)}`, () => {
      assert.ok("problem" in readRequestPath(path));
    });
  }

  it("formats parameters so that they can be parsed again unchanged", () => {
    const parameters = [
      ["a&b", "1+1 = 2%"],
      ["ä", "#"],
    ] as const;
    assert.deepEqual(readParameters(parametersText(parameters)), { parameters });
  });
});

describe("The response to a signed request", () => {
  it("shows every digit of a number, and masks secrets", () => {
    const text = exactJsonText(
      '{"id":9007199254740993,"price":0.10000000000000000555,"e":1e-7,"n":-0,"token":"canary","s":"1\\u00012"}',
    );
    assert.match(text ?? "", /"id": 9007199254740993,/);
    assert.match(text ?? "", /"price": 0\.10000000000000000555,/);
    assert.match(text ?? "", /"e": 1e-7,/);
    assert.match(text ?? "", /"n": -0,/);
    assert.doesNotMatch(text ?? "", /canary/);
  });

  it("is shown as JSON below its facts, or else as received", () => {
    const answer = { method: "GET", url: "https://g.example/a?x=1", statusCode: 200, tookMs: 3, text: "[1]" };
    assert.equal(responseDocument(answer).languageId, "jsonc");
    assert.match(responseDocument(answer).text, /^\/\/ GET https:\/\/g\.example\/a\?x=1\n\/\/ 200 · 3 ms\n/);
    const page = responseDocument({ ...answer, text: "<p>no\u202e</p>", problem: "It\nfailed." });
    assert.equal(page.languageId, "plaintext");
    assert.match(page.text, /\/\/ It failed\.\n[^]*<p>no\\u202e<\/p>/);
  });
});
