import assert from "node:assert/strict";
import { cleanServerText } from "../../../src/gateway/errors/serverText.ts";

describe("cleanServerText", () => {
  it("doesn't let a server add a link to a notification", () => {
    const link = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)/i;
    for (const text of [
      "[Sign in](command:workbench.action.quit)",
      "[a]\u200b(https://x.example)",
      "[[a]]((command:b)",
    ]) {
      assert.doesNotMatch(cleanServerText(text), link);
    }
  });

  it("returns one line without characters that hide or reorder text, truncated with an ellipsis", () => {
    assert.equal(cleanServerText(" a\r\nb\u202ec\ud800 "), "a bc\ufffd");
    const long = cleanServerText("a ".repeat(5_000));
    assert.equal(long.length <= 500 && long.endsWith("…"), true);
  });

  it("redacts known secrets in any encoding", () => {
    const secret = "s3cr/t+value";
    const said = ["s3cr/t+value", encodeURIComponent(secret), Buffer.from(secret).toString("hex")].join(" ");
    assert.doesNotMatch(cleanServerText(said, [secret]), /s3cr|7333/);
  });

  it("redacts what looks like a credential and leaves ordinary words unchanged", () => {
    assert.doesNotMatch(cleanServerText("Incorrect API key provided: abcd1234efgh5678ijkl"), /efgh/);
    assert.equal(cleanServerText("The key is missing. Try again."), "The key is missing. Try again.");
  });
});
