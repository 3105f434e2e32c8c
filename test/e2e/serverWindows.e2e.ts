import assert from "node:assert/strict";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { findExtensionHosts } from "../host/extensionHostProcess.ts";
import { openServersWindow } from "../host/serversWindow.ts";
import type { TestWindow } from "../host/testWindow.ts";
import { Workbench } from "../host/workbench.ts";
import type { ServersGateway } from "../support/serversGateway.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const count = 10_000;

describe("GPU servers in several windows", () => {
  let gateway: ServersGateway;
  let window: TestWindow;
  let first: Workbench;
  let second: Workbench;
  let firstHosts: readonly number[] = [];

  before(async () => {
    ({ gateway, window } = await openServersWindow(root, count));
    first = window.workbench;
  });

  after(async () => {
    await window.close();
    await gateway.close();
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("are requested by only one of the windows", async () => {
    const asked = gateway.asked;
    firstHosts = findExtensionHosts(window.server);
    second = await Workbench.open(first.page.context(), window.server, {
      folder: mkdtempSync(join(tmpdir(), "workspace-")),
      extension: root,
    });
    await second.openContainer("Inference Gateway");
    await row(second, "trainer-00000").waitFor();
    assert.equal(gateway.asked, asked);
  });

  it("are refreshed in all windows by the command in any of them", async () => {
    const asked = gateway.asked;
    rename(1, "renamed-in-second");
    await second.runCommand("Inference Gateway: Refresh Servers");
    await row(second, "renamed-in-second").waitFor();
    await row(first, "renamed-in-second").waitFor();
    assert.equal(gateway.asked, asked + 1);
  });

  it("keep the selection and scroll position after a refresh", async () => {
    await row(first, "trainer-00004").click();
    rename(2, "another-name");
    await first.runCommand("Inference Gateway: Refresh Servers");
    await row(first, "another-name").waitFor();
    await eventually(async () =>
      assert.match((await row(first, "trainer-00004").getAttribute("class")) ?? "", /selected/),
    );
  });

  it("stay with their age in all windows when the gateway fails, and recover when it works again", async () => {
    gateway.failure = { statusCode: 503, body: { message: "Down for maintenance." } };
    await first.runCommand("Inference Gateway: Refresh Servers");
    await row(first, "Couldn't refresh").waitFor();
    await row(second, "Couldn't refresh").waitFor();
    await row(second, "trainer-00004").filter({ hasText: "as of" }).waitFor();
    await shot("failure");
    gateway.failure = undefined;
    await second.runCommand("Inference Gateway: Refresh Servers");
    await row(first, "Couldn't refresh").waitFor({ state: "detached" });
    await row(first, "trainer-00004").filter({ hasNotText: "as of" }).waitFor();
  });

  it("stay dimmed when the credential is rejected", async () => {
    gateway.failure = { statusCode: 401, body: { code: "ERR_UNAUTHORIZED" } };
    await first.runCommand("Inference Gateway: Refresh Servers");
    await row(second, "Couldn't refresh").waitFor();
    await row(second, "trainer-00004").filter({ hasText: "as of" }).waitFor();
    await shot("refused");
  });

  it("are polled by the other window after the extension host of the first one is killed", async () => {
    for (const processId of firstHosts) process.kill(processId, "SIGKILL");
    await first.page.close();
    // The other window requests the list by itself as well, once it has noticed that the first one is gone.
    const asked = gateway.asked;
    gateway.failure = undefined;
    await second.runCommand("Inference Gateway: Refresh Servers");
    await row(second, "trainer-00004").filter({ hasNotText: "as of" }).waitFor();
    assert.ok([1, 2].includes(gateway.asked - asked), `${gateway.asked - asked} requests`);
  });

  it("are shown at the next start before the gateway responds", async () => {
    gateway.failure = "nothing";
    const asked = gateway.nextRequest();
    await second.reload();
    await second.openContainer("Inference Gateway");
    await row(second, "trainer-00004").filter({ hasText: "as of" }).waitFor();
    await asked;
    gateway.failure = undefined;
  });

  it("leave nothing behind when the user signs out", async () => {
    const folder = join(
      window.server.dataFolder,
      "data/User/globalStorage/inference-gateway.inference-gateway/servers",
    );
    assert.notDeepEqual(readdirSync(folder), []);
    await second.runCommand("Inference Gateway: Sign Out");
    await second.answerDialog("Sign Out");
    await second.page
      .locator(".welcome-view-content")
      .getByRole("button", { name: "Set Session Token" })
      .waitFor();
    await eventually(() => assert.deepEqual(readdirSync(folder), []));
  });

  function rename(index: number, name: string): void {
    gateway.servers[index] = { ...gateway.servers[index], name };
  }

  function row(workbench: Workbench, text: string): Locator {
    return workbench.treeRows("GPU Servers").filter({ hasText: text }).first();
  }

  async function shot(name: string): Promise<void> {
    const { SHOTS } = process.env;
    if (SHOTS !== undefined) await second.screenshot(join(SHOTS, `servers-${name}.png`));
  }
});
