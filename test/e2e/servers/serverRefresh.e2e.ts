import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { shareServersWindow } from "../../host/serversWindow.ts";
import type { TestWindow } from "../../host/testWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import type { ServersGateway } from "../../support/serversGateway.ts";
import { eventually } from "../../support/eventually.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const count = 10_000;

describe("GPU servers that are refreshed", () => {
  let gateway: ServersGateway;
  let window: TestWindow;
  let workbench: Workbench;

  shareServersWindow(root, count, { name: "Large" }, (opened) => {
    ({ gateway, window } = opened);
    ({ workbench } = window);
  });

  it("keep the selection and scroll position after a refresh", async () => {
    await row("trainer-00004").click();
    rename(2, "another-name");
    await workbench.runCommand("Inference Gateway: Refresh Servers");
    await row("another-name").waitFor();
    await eventually(async () =>
      assert.match((await row("trainer-00004").getAttribute("class")) ?? "", /selected/),
    );
  });

  it("stay with their age when the gateway fails, and recover when it works again", async () => {
    gateway.failure = { statusCode: 503, body: { message: "Down for maintenance." } };
    await workbench.runCommand("Inference Gateway: Refresh Servers");
    await row("Couldn't refresh").waitFor();
    await row("trainer-00004").filter({ hasText: "as of" }).waitFor();
    gateway.failure = undefined;
    await workbench.runCommand("Inference Gateway: Refresh Servers");
    await row("Couldn't refresh").waitFor({ state: "detached" });
    await row("trainer-00004").filter({ hasNotText: "as of" }).waitFor();
  });

  it("stay dimmed when the credential is rejected", async () => {
    gateway.failure = { statusCode: 401, body: { code: "ERR_UNAUTHORIZED" } };
    await workbench.runCommand("Inference Gateway: Refresh Servers");
    await row("Couldn't refresh").waitFor();
    await row("trainer-00004").filter({ hasText: "as of" }).waitFor();
  });

  it("are shown at the next start before the gateway responds", async () => {
    gateway.failure = "nothing";
    const asked = gateway.nextRequest();
    await workbench.reload();
    await workbench.openContainer("Inference Gateway");
    await row("trainer-00004").filter({ hasText: "as of" }).waitFor();
    await asked;
    gateway.failure = undefined;
  });

  it("leave nothing behind when the user signs out", async () => {
    const folder = join(
      window.server.dataFolder,
      "data/User/globalStorage/inference-gateway.inference-gateway",
    );
    const filesWithServers = (): readonly string[] =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .filter((path) => readFileSync(path).includes("trainer-00004"));
    assert.notDeepEqual(filesWithServers(), []);
    await workbench.runCommand("Inference Gateway: Sign Out");
    await workbench.answerDialog("Sign Out");
    await workbench.page
      .locator(".welcome-view-content")
      .getByRole("button", { name: "Set Session Token" })
      .waitFor();
    await eventually(() => assert.deepEqual(filesWithServers(), []));
  });

  function rename(index: number, name: string): void {
    gateway.servers[index] = { ...gateway.servers[index], name };
  }

  function row(text: string): Locator {
    return workbench.treeRows("GPU Servers").filter({ hasText: text }).first();
  }
});
