import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import * as vscode from "vscode";
import type { SecretVault } from "../../../src/core/account/secretVault.ts";
import { ServerListState } from "../../../src/core/servers/serverListState.ts";
import { readServerList } from "../../../src/gateway/servers/readServerList.ts";
import { WindowCoordinator } from "../../../src/windows/servers/windowCoordinator.ts";
import type { Profiles } from "../../../src/vscode/account/profiles/profiles.ts";
import { readListOwner } from "../../../src/vscode/servers/serverListSource.ts";
import { listsFolder, serversViewId } from "../../../src/vscode/servers/serversHost.ts";
import { startServersGateway } from "../../support/serversGateway.ts";
import type { ServersGateway } from "../../support/serversGateway.ts";
import { activateExtension } from "./support/extensionContext.ts";
import { TestAccount } from "./support/testAccount.ts";

const name = "Fleet of the test";
const count = 10_000;

describe("GPU servers in the extension host", () => {
  let account: TestAccount;
  let profiles: Profiles;
  let vault: SecretVault;
  let gateway: ServersGateway;
  let folder: string;
  /** Represents another window that views the same servers. */
  let other: WindowCoordinator;
  let list: ServerListState;

  before(async () => {
    const context = await activateExtension();
    folder = listsFolder(context.globalStorageUri);
    account = new TestAccount(context);
    ({ profiles, vault } = account);
    gateway = await startServersGateway(count);
    await profiles.put({ name, gatewayUrl: gateway.url, gatewayCredential: "sessionToken" });
    await profiles.select(name);
  });

  beforeEach(async () => {
    const profile = profiles.find(name);
    assert.ok(profile);
    const asked = gateway.nextRequest();
    await vault.store(profile, { kind: "sessionToken", token: "token-of-the-test" });
    await vscode.commands.executeCommand(`${serversViewId}.focus`);
    await asked;
    other = new WindowCoordinator({
      folder,
      readOwner: () => readListOwner({ profiles, vault }, name),
      ask: () => Promise.reject(new Error("Only the window that leads asks.")),
      read: async (text) => readServerList(text),
      now: () => Date.now(),
      schedule: (callback, delayMs) => {
        const timer = setTimeout(callback, delayMs);
        return () => clearTimeout(timer);
      },
    });
    list = new ServerListState(other, () => Date.now());
    other.onPollResult((outcome) => list.adopt(outcome));
  });

  afterEach(async () => {
    other.setVisible(false);
    await vscode.commands.executeCommand("workbench.view.explorer");
    await vault.wipe([name]);
    await until(() => readdirSync(folder).length === 0);
  });

  after(async () => {
    await account.remove(name);
    await gateway.close();
  });

  async function showInOther(): Promise<void> {
    other.setVisible(true);
    await until(() => list.current.servers.length === count);
  }

  it("are shared with another window without another request, all 10,000 of them", async () => {
    const asked = gateway.asked;
    await showInOther();
    assert.equal(other.isLeading, false);
    assert.equal(gateway.asked, asked);
  });

  it("are requested once when another window's user refreshes them", async () => {
    await showInOther();
    const asked = gateway.asked;
    gateway.servers[7] = { ...gateway.servers[7], name: "renamed" };
    await list.refresh();
    assert.equal(list.current.servers[7]?.name?.value, "renamed");
    assert.equal(gateway.asked, asked + 1);
  });

  it("are requested by another window once this one no longer shows them", async () => {
    await showInOther();
    await vscode.commands.executeCommand("workbench.view.explorer");
    await until(() => other.isLeading === true);
    await vscode.commands.executeCommand(`${serversViewId}.focus`);
    await until(() => readdirSync(folder).some((file) => file.endsWith(".json")));
    assert.equal(other.isLeading, true);
  });

  it("leave no file behind after the credential is removed", async () => {
    await showInOther();
    other.setVisible(false);
    await vault.remove(name, "sessionToken");
    await until(() => readdirSync(folder).length === 0);
  });
});

/** The awaited event happens in another part of the process, or of VS Code. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}
