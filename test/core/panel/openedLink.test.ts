import assert from "node:assert/strict";
import { readLink } from "../../../src/core/panel/openedLink.ts";

const profile = (query: string) => readLink({ path: "/profile", query });
const chat = (query: string) => readLink({ path: "/chat", query });

describe("A link that opens a chat", () => {
  it("contains the prompt unchanged, whatever characters it has", () => {
    const prompt = "a & b = c + d?\nprompt=#file /explain 100%";
    assert.deepEqual(chat(`prompt=${prompt}`), { kind: "chat", prompt });
  });

  it("can't hide parts of the prompt", () => {
    const link = chat("prompt=Hello\u202e\u200b\u{e0041}there");
    assert.ok(link.kind === "chat");
    assert.equal(link.prompt, String.raw`Hello\u202e\u200b\udb40\udc41there`);
  });

  it("is refused without a prompt, and with one that is too long to be read", () => {
    for (const query of ["", "prompt=", "text=Hello", `prompt=${"x".repeat(8_001)}`, "x".repeat(30_000)])
      assert.equal(chat(query).kind, "problem", query.slice(0, 20));
  });
});

describe("A link that adds a profile", () => {
  it("fills in the form, and lists everything for confirmation", () => {
    const link = profile("inferenceBaseUrl=https://i.example/v1&gatewayUrl=https://g.example");
    assert.ok(link.kind === "profile");
    assert.equal(link.form.inferenceBaseUrl, "https://i.example/v1");
    assert.deepEqual(
      link.facts.map(({ value }) => value),
      ["https://i.example/v1", "https://g.example"],
    );
  });

  it("can't imitate other lines of the confirmation", () => {
    for (const space of ["\n", "\r", "\t", "\u2028", "\u0085", "\u00a0"]) {
      const link = profile(`gatewayUrl=https://g.example/a${space}Origin: trusted`);
      const values = link.kind === "profile" ? link.facts.map(({ value }) => value) : [];
      assert.ok(
        values.every((value) => !/[^\S ]/.test(value)),
        JSON.stringify(values),
      );
    }
  });

  it("is refused with a credential in any form, which is not repeated", () => {
    const address = "inferenceBaseUrl=https://i.example/v1";
    for (const part of [
      "apiKey=CANARY",
      "token=CANARY",
      "API_SECRET=CANARY",
      "name=sk-CANARY12345",
      "name=Bearer CANARY",
      "gatewayUrl=https://user:CANARY@g.example",
      "gatewayUrl=https://g.example?api_key=CANARY",
      "consoleUrl=https://CANARY@c.example",
      "CANARY-SECRET-KEY=CANARY",
    ]) {
      const link = profile(`${address}&${part}`);
      assert.ok(link.kind === "problem", part);
      assert.doesNotMatch(link.problem, /CANARY/);
    }
    const inAddress = profile("inferenceBaseUrl=https://i.example/v1?api_key=CANARY");
    assert.ok(inAddress.kind === "problem" && !inAddress.problem.includes("CANARY"));
  });

  it("can't set anything else, such as a command or less protection", () => {
    const address = "inferenceBaseUrl=https://i.example/v1";
    for (const part of [
      "allowInsecureHttp=true",
      "credentialCommand=sh",
      "proxy=x",
      "caFile=/x",
      "__proto__=x",
      "stsExpiry=1",
      "name=Lab",
      "consoleUrl=https://c.example",
      "defaultModel=lab/m",
    ])
      assert.equal(profile(`${address}&${part}`).kind, "problem", part);
    assert.equal(profile(`${address}&${address}`).kind, "problem");
  });

  it("is refused without a usable address", () => {
    for (const query of [
      "",
      "name=Lab",
      "gatewayUrl=javascript:alert(1)",
      "inferenceBaseUrl=file:///etc/passwd",
    ])
      assert.equal(profile(query).kind, "problem", query);
  });
});

describe("Any other link", () => {
  it("opens nothing, and explains what can be opened", () => {
    for (const path of ["", "/", "/settings", "/chat/x", "//chat", "/command"]) {
      const link = readLink({ path, query: "prompt=x" });
      assert.ok(link.kind === "problem", path);
      assert.match(link.problem, /can open a chat with a prompt or add a profile/);
    }
  });
});
