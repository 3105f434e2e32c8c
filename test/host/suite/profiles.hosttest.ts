import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Log } from "../../../src/core/kernel/log.ts";
import { Profiles } from "../../../src/vscode/account/profiles/profiles.ts";
import { activateExtension } from "./support/extensionContext.ts";
import { readNetworkSettings } from "../../../src/vscode/shell/configuredClients.ts";

const configuration = (): vscode.WorkspaceConfiguration =>
  vscode.workspace.getConfiguration("inferenceGateway");
const warnings: string[] = [];
const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message) => warnings.push(message),
  error: () => undefined,
};

describe("Profiles in the user's settings", () => {
  let profiles: Profiles;

  before(async () => {
    profiles = new Profiles(log, await activateExtension());
  });

  afterEach(async () => {
    await profiles.selectForWorkspace(undefined);
    await configuration().update("profiles", undefined, vscode.ConfigurationTarget.Global);
    await configuration().update("activeProfile", undefined, vscode.ConfigurationTarget.Global);
  });
  after(() => profiles.dispose());

  /** Writes the profiles A and B, and selects B. */
  async function writeBoth(): Promise<void> {
    await profiles.put({ name: "A", inferenceBaseUrl: "https://a.example/v1" });
    await profiles.put({ name: "B", gatewayUrl: "https://b.example", gatewayCredential: "stsToken" });
    await profiles.select("B");
  }

  it("are written, updated in place and selected", async () => {
    await profiles.put({ name: "A", inferenceBaseUrl: "https://a.example/v1" });
    await profiles.put({ name: "B", gatewayUrl: "https://b.example", gatewayCredential: "stsToken" });
    assert.equal(profiles.active?.name, "A");
    await profiles.select("B");
    assert.equal(profiles.active?.gatewayCredential, "stsToken");
    await profiles.put({ name: "B", gatewayUrl: "https://c.example" });
    assert.equal(profiles.active?.gatewayUrl, "https://c.example");
    assert.equal(profiles.active?.gatewayCredential, "stsToken");
  });

  it("are active as soon as they are selected, before VS Code has written the setting", async () => {
    await writeBoth();
    const selected = profiles.select("A");
    assert.equal(profiles.active?.name, "A");
    const selectedLast = profiles.select("B");
    assert.equal(profiles.active?.name, "B");
    await Promise.all([selected, selectedLast]);
    assert.equal(profiles.active?.name, "B");
    assert.equal(configuration().get("activeProfile"), "B");
  });

  it("can include a workspace default, whatever is selected elsewhere", async () => {
    await writeBoth();
    await profiles.selectForWorkspace("A");
    await configuration().update("activeProfile", "B", vscode.ConfigurationTarget.Global);
    assert.equal(profiles.active?.name, "A");
    await profiles.selectForWorkspace(undefined);
    assert.equal(profiles.active?.name, "B");
  });

  it("report external changes and problems", async () => {
    await writeBoth();
    const changed = new Promise<void>((resolve) => {
      const subscription = profiles.onDidChange(() => {
        subscription.dispose();
        resolve();
      });
    });
    const value = [{ name: "A", inferenceBaseUrl: "https://a.example/v1" }, { apiKey: "CANARY" }];
    await configuration().update("profiles", value, vscode.ConfigurationTarget.Global);
    await changed;
    assert.deepEqual(profiles.names, ["A"]);
    assert.match(warnings.join(), /Profile 2: A profile needs a name/);
    assert.match(profiles.problems.join(), /active profile “B” doesn't exist/);
    assert.ok(![...warnings, ...profiles.problems].join().includes("CANARY"));
    assert.equal(profiles.active, undefined);
  });

  it("can't be redirected by a workspace", async () => {
    await writeBoth();
    const evil = [{ name: "A", inferenceBaseUrl: "https://evil.example/v1" }];
    await assert.rejects(async () =>
      configuration().update("profiles", evil, vscode.ConfigurationTarget.Workspace),
    );
    assert.equal(profiles.find("A")?.inferenceBaseUrl, "https://a.example/v1");
  });
});

describe("The network settings of VS Code", () => {
  const http = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration("http");

  it("are read as plain data, with VS Code's own defaults", () => {
    const settings = readNetworkSettings();
    assert.equal(settings.strictSsl, true);
    assert.equal(settings.useSystemCertificates, true);
    assert.equal(settings.proxySupport, "override");
    assert.deepEqual(settings.noProxy, []);
    assert.equal(settings.proxyUrl, undefined);
  });

  it("follow changes in the settings", async () => {
    await http().update("proxy", "http://proxy.example:3128", vscode.ConfigurationTarget.Global);
    await http().update("noProxy", ["a.example"], vscode.ConfigurationTarget.Global);
    const { proxyUrl, noProxy } = readNetworkSettings();
    await http().update("proxy", undefined, vscode.ConfigurationTarget.Global);
    await http().update("noProxy", undefined, vscode.ConfigurationTarget.Global);
    assert.equal(proxyUrl, "http://proxy.example:3128");
    assert.deepEqual(noProxy, ["a.example"]);
  });
});
