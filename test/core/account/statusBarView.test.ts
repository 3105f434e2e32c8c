import assert from "node:assert/strict";
import type { StoredSecret } from "../../../src/core/account/storedSecret.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import { createStatusBarView } from "../../../src/core/account/statusBarView.ts";
import type { StatusBarFacts } from "../../../src/core/account/statusBarView.ts";

const now = 1_000_000_000_000;

function view(options: Readonly<Record<string, unknown>>, facts: Partial<StatusBarFacts> = {}) {
  const profile = parseProfiles([
    {
      name: "Cloud",
      inferenceBaseUrl: "https://a.example/v1",
      gatewayUrl: "https://g.example",
      gatewayCredential: "stsToken",
      ...options,
    },
  ]).profiles[0];
  return createStatusBarView({
    profile,
    isWorkspaceDefault: false,
    model: "lab/m",
    secrets: [],
    now,
    ...facts,
  });
}

function token(expiresAt: number): StoredSecret {
  const facts = { origin: "https://g.example", savedAt: now, lastFour: "abcd", expiresAt };
  return { profileName: "Cloud", kind: "stsToken", facts };
}

describe("The status bar item", () => {
  it("shows the profile and the model", () => {
    assert.equal(view({}).text, "$(account) Cloud · lab/m");
    assert.equal(view({}, { model: undefined }).text, "$(account) Cloud");
  });

  it("marks production by more than a color", () => {
    const { text, spoken, severity, lines } = view({ production: true });
    assert.equal(text, "$(flame) Cloud · lab/m");
    assert.match(spoken, /production/);
    assert.equal(severity, "warning");
    assert.match(lines.join("\n"), /marked as production/);
  });

  it("counts down to a token's expiry and shows when it has expired", () => {
    const counted = view({}, { secrets: [token(now + 12 * 60_000)] });
    assert.equal(counted.text, "$(account) Cloud · lab/m · STS token: 12 min left");
    assert.match(counted.lines.join("\n"), /The STS token ····abcd expires in 12 min/);
    const ended = view({ production: true }, { secrets: [token(now)] });
    assert.equal(ended.text, "$(warning) Cloud · lab/m · STS token expired");
    assert.equal(ended.severity, "error");
    assert.match(ended.lines.join("\n"), /paused until a new one is set/);
  });

  it("ignores a stored token while a command supplies the credential", () => {
    const supplied = view({ credentialCommand: ["sso", "token"] }, { secrets: [token(now - 60_000)] });
    assert.equal(supplied.text, "$(account) Cloud · lab/m");
    assert.equal(supplied.severity, "none");
    assert.doesNotMatch(supplied.lines.join(), /STS token/);
  });

  it("shows no countdown for a token that the profile doesn't use or that expires in days", () => {
    const unused = view({ gatewayCredential: "accessKey" }, { secrets: [token(now + 60_000)] });
    assert.equal(unused.text, "$(account) Cloud · lab/m");
    assert.equal(view({}, { secrets: [token(now + 3 * 86_400_000)] }).text, "$(account) Cloud · lab/m");
  });

  it("doesn't let a name add icons or line breaks", () => {
    const { text } = view({ name: "$(bug) x" }, { model: "a\n$(flame)/b" });
    assert.equal(text.match(/\$\(/g)?.length, 1);
    assert.ok(!text.includes("\n"));
  });

  it("shows a warning if no profile is selected", () => {
    const nothing = createStatusBarView({
      profile: undefined,
      isWorkspaceDefault: false,
      model: undefined,
      secrets: [],
      now,
    });
    assert.equal(nothing.text, "$(warning) No profile selected");
  });
});
