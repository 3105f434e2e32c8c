import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Profile } from "../../../src/core/account/profile.ts";
import { secretKinds, secretTexts } from "../../../src/core/account/credentialKinds.ts";
import type { SecretVault } from "../../../src/core/account/secretVault.ts";
import { commandIds } from "../../../src/vscode/shell/commandIds.ts";
import type { Profiles } from "../../../src/vscode/account/profiles/profiles.ts";
import { activateExtension, readClearText } from "./support/extensionContext.ts";
import { TestAccount } from "./support/testAccount.ts";

describe("The local gateway in the extension host", () => {
  let context: vscode.ExtensionContext;
  let account: TestAccount;
  let profiles: Profiles;
  let vault: SecretVault;

  const gatewayProfile = (): Profile => {
    const profile = profiles.find("Local gateway");
    assert.ok(profile);
    return profile;
  };
  const askModels = async (apiKey: string): Promise<number> => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${gatewayProfile().inferenceBaseUrl}/models`, { headers });
    await response.text();
    return response.status;
  };
  const readApiKey = async (): Promise<string> => {
    const reading = await vault.read(gatewayProfile(), "apiKey");
    assert.ok(reading.state === "present" && reading.credential.kind === "apiKey");
    return reading.credential.apiKey;
  };

  before(async () => {
    context = await activateExtension();
    account = new TestAccount(context);
    ({ profiles, vault } = account);
    await vscode.commands.executeCommand(commandIds.startLocalGateway);
  });

  after(async () => {
    await vscode.commands.executeCommand(commandIds.stopLocalGateway);
    await account.remove("Local gateway");
  });

  it("has its own profile, which is active", () => {
    assert.equal(profiles.active?.name, "Local gateway");
    assert.match(gatewayProfile().inferenceBaseUrl ?? "", /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  });

  it("accepts the key from the secret storage and rejects any other", async () => {
    assert.equal(await askModels(await readApiKey()), 200);
    assert.equal(await askModels("wrong"), 401);
  });

  it("has all four credentials in the secret storage and none in clear text", async () => {
    const clearText = readClearText(context);
    for (const kind of secretKinds) {
      const reading = await vault.read(gatewayProfile(), kind);
      assert.ok(reading.state === "present", kind);
      for (const text of secretTexts(reading.credential)) assert.ok(!clearText.includes(text), kind);
    }
  });

  it("isn't in the setting, which is synced to other machines", () => {
    const synced: unknown = vscode.workspace.getConfiguration("inferenceGateway").get("profiles");
    assert.deepEqual(synced, []);
  });

  it("restarts at the same address, so that open conversations continue", async () => {
    const before = gatewayProfile().inferenceBaseUrl;
    await vscode.commands.executeCommand(commandIds.stopLocalGateway);
    assert.equal(profiles.find("Local gateway"), undefined);
    await assert.rejects(fetch(`${before}/models`));
    await vscode.commands.executeCommand(commandIds.startLocalGateway);
    assert.equal(gatewayProfile().inferenceBaseUrl, before);
    assert.equal(await askModels(await readApiKey()), 200);
  });
});
