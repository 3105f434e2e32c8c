import assert from "node:assert/strict";
import type * as vscode from "vscode";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import type { Profile } from "../../../src/core/account/profile.ts";
import { Redaction } from "../../../src/core/account/redaction.ts";
import { SecretVault } from "../../../src/core/account/secretVault.ts";
import { createSecretIndex } from "../../../src/vscode/account/credentials/secretStorage.ts";
import { activateExtension, readClearText } from "./support/extensionContext.ts";

const canary = "CANARY-host-58d1e0";

function profileOf(inferenceBaseUrl: string): Profile {
  const profile = parseProfiles([{ name: "Host test", inferenceBaseUrl, gatewayUrl: "https://g.example" }])
    .profiles[0];
  assert.ok(profile);
  return profile;
}

describe("Secrets in VS Code's secret storage", () => {
  const profile = profileOf("https://a.example/v1");
  let context: vscode.ExtensionContext;
  let vault: SecretVault;

  const createVault = (): SecretVault =>
    new SecretVault({
      store: context.secrets,
      index: createSecretIndex(context.globalState),
      redaction: new Redaction(),
      now: () => Date.now(),
    });

  before(async () => {
    context = await activateExtension();
    vault = createVault();
  });

  afterEach(async () => void (await vault.wipe()));
  after(() => vault.dispose());

  it("are returned for the address they were entered for, and for no other", async () => {
    await vault.store(profile, { kind: "apiKey", apiKey: canary });
    assert.equal((await vault.read(profile, "apiKey")).state, "present");
    assert.equal((await vault.read(profileOf("https://evil.example/v1"), "apiKey")).state, "otherOrigin");
  });

  it("are in no setting and no extension state", async () => {
    await vault.store(profile, { kind: "accessKey", accessKey: `${canary}-id`, apiSecret: canary });
    assert.ok(!readClearText(context).includes(canary));
  });

  it("are listed without their values", async () => {
    await vault.store(profile, { kind: "apiKey", apiKey: `${canary}-old1` });
    await vault.store(profile, { kind: "apiKey", apiKey: `${canary}-new2` });
    vault.noteUse(profile.name, "apiKey");
    const keys = (await vault.list()).filter(({ kind }) => kind === "apiKey");
    const listed = keys.map(({ facts, lastUsedAt }) => [facts?.lastFour, lastUsedAt !== undefined]);
    assert.deepEqual(listed, [["new2", true]]);
    assert.ok(!JSON.stringify(keys).includes(canary));
    assert.ok(!readClearText(context).includes(canary));
  });

  it("are updated when another window changes them", async () => {
    const otherWindow = createVault();
    const noticed = new Promise<string>((resolve) => vault.onDidChange(resolve));
    await otherWindow.store(profile, { kind: "stsToken", token: canary });
    assert.equal(await noticed, "Host test");
    assert.equal((await vault.read(profile, "stsToken")).state, "present");
    otherWindow.dispose();
  });

  it("are deleted after signing out, including those of deleted profiles", async () => {
    await vault.store(profile, { kind: "apiKey", apiKey: canary });
    await vault.store(profile, { kind: "accessKey", accessKey: `${canary}-id`, apiSecret: canary });
    await vault.store({ ...profile, name: "Forgotten" }, { kind: "sessionToken", token: canary });
    assert.equal(await vault.wipe(), 3);
    assert.equal((await vault.list()).length, 0);
  });
});
