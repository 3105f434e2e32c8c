import assert from "node:assert/strict";
import { undisclosedHost } from "../../../src/webview/markdown/links.ts";

describe("The host shown next to a link", () => {
  const cases: readonly (readonly [string, string, string | undefined])[] = [
    ["https://example.org/a", "the paper", undefined],
    ["https://example.org/a", "https://example.org/b", undefined],
    ["https://example.org/a", "www.example.org", undefined],
    ["https://example.org/a", "example.org/path", undefined],
    ["https://github.com/a/b", "main.py", undefined],
    ["https://github.com/a/b", "v1.2.3 of README.md", undefined],
    ["https://evil.example/a", "https://bank.example", "evil.example"],
    ["https://evil.example/a", "bank.com", "evil.example"],
    ["https://evil.example/a", "Log in at www.bank.com now", "evil.example"],
    ["https://evil.example/a", "b\u200Bank.com", "evil.example"],
    ["https://evil.example:8443/a", "(https://bank.com).", "evil.example:8443"],
    ["https://bank.com@evil.example/", "the bank", "evil.example"],
    ["https://evil.example/", "bank.com@x", "evil.example"],
    ["https://xn--80ak6aa92e.com/", "https://apple.com", "xn--80ak6aa92e.com"],
    ["https://аррӏе.com/", "https://apple.com", "xn--80ak6aa92e.com"],
    ["mailto:a@example.org", "a@example.com", undefined],
    ["https://[::1", "https://bank.com", undefined],
  ];
  for (const [href, text, host] of cases) {
    it(`is ${host ?? "left out"} for ${JSON.stringify(text)} that leads to ${href}`, () => {
      assert.equal(undisclosedHost(href, text), host);
    });
  }

  it("keeps the end of a very long host name", () => {
    const shown = undisclosedHost(`https://${"a.".repeat(100)}evil.example/`, "https://bank.com") ?? "";
    assert.ok(shown.length <= 80 && shown.endsWith("evil.example"), shown);
  });
});
