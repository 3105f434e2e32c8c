import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { chooseInMenu } from "../../host/contextMenu.ts";
import { shareServersWindow } from "../../host/serversWindow.ts";
import { notification, waitForNotification, waitForStatus } from "../../host/notifications.ts";
import type { Workbench } from "../../host/workbench.ts";
import type { ServersGateway } from "../../support/serversGateway.ts";
import { eventually } from "../../support/eventually.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

describe("The tree of GPU servers", () => {
  let gateway: ServersGateway;
  let workbench: Workbench;

  shareServersWindow(root, 12, { name: "Tree" }, (opened) => {
    gateway = opened.gateway;
    workbench = opened.window.workbench;
  });

  before(() => workbench.page.locator(".pane-header").filter({ hasText: "Conversations" }).click());

  afterEach(() => (gateway.failure = undefined));

  it("folds the stopped servers of a long list, and shows one that starts, still selected, among the others", async () => {
    await row("Stopped (3)").filter({ hasText: "may still cost" }).waitFor();
    assert.equal(await row("trainer-00001").count(), 0);
    await row("Stopped (3)").click();
    await row("trainer-00005").click();
    change(1, "starting");
    change(3, "stopped");
    change(5, "starting");
    change(7, "stopped");
    await refresh();
    const level = (name: string): Promise<string | null> => row(name).getAttribute("aria-level");
    await eventually(async () => assert.equal(await level("trainer-00003"), "2"));
    await eventually(async () => assert.equal(await level("trainer-00005"), "1"));
    await eventually(async () =>
      assert.match((await row("trainer-00005").getAttribute("class")) ?? "", /selected/),
    );
    change(3, "running");
    change(7, "running");
    await refresh();
    await row("Stopped (3)").waitFor({ state: "detached" });
  });

  it("shows in a hover what doesn't fit in a row, including outdated rows", async () => {
    gateway.failure = { statusCode: 503, body: { message: "Down for maintenance." } };
    await refresh();
    await row("Couldn't refresh").waitFor();
    const hover = workbench.page.locator(".workbench-hover").filter({ hasText: "Not refreshed since" });
    // The palette may still be fading out above the row.
    for (let attempt = 0; attempt < 10 && !(await hover.isVisible()); attempt++) {
      await row(`trainer-0000${attempt % 2}`).hover();
      await hover.waitFor({ timeout: 2_000 }).catch(() => undefined);
    }
    await eventually(async () => assert.match((await hover.textContent()) ?? "", /eu-north|us-east/));
    gateway.failure = undefined;
    await refresh();
    await row("Couldn't refresh").waitFor({ state: "detached" });
  });

  it("shows changed servers in the status bar, and counts failures in a badge until they are viewed", async () => {
    change(1, "running");
    change(2, "error");
    change(6, "error");
    await refresh();
    await badges().filter({ hasText: "2" }).waitFor();
    await waitForStatus(workbench, "trainer-00002: Running → Error");
    await row("trainer-00001").click();
    await badges().waitFor({ state: "hidden" });
  });

  it("shows a notification for a watched server, and nothing for a muted one", async () => {
    await mark("trainer-00003", "Watch", "watched");
    await mark("trainer-00004", "Mute Server", "muted");
    change(3, "stopped");
    change(4, "error");
    await refresh();
    await waitForNotification(workbench, "trainer-00003: Running → Stopped");
    // What is shown for an earlier refresh is shown before what is shown for a later one.
    change(3, "starting");
    await refresh();
    await waitForNotification(workbench, "trainer-00003: Stopped → Starting");
    assert.equal(await notification(workbench, "trainer-00004").count(), 0);
    assert.equal(await badges().count(), 0);
  });

  it("shows a server's name without links in a notification", async () => {
    const name = "[Open](command:workbench.action.files.newUntitledFile)";
    gateway.servers[3] = { ...gateway.servers[3], name, status: "running" };
    await refresh();
    const found = await waitForNotification(workbench, "[Open] (command:workbench.action");
    await found.getByText("[Open] (command:workbench.action").click();
    assert.equal(await found.locator("a", { hasText: "Open" }).count(), 0);
    gateway.servers[3] = { ...gateway.servers[3], name: "trainer-00003" };
    await refresh();
    // A command of the window that was started by the click would have run before.
    assert.equal(await workbench.editorTab("Untitled-1").count(), 0);
  });

  it("keeps rows expanded, collapsed and selected while servers are added, removed and changed", async () => {
    await workbench.runFromPicker("Arrange Servers…", "Group by: Region");
    const group = workbench.page.locator('.monaco-list-row[aria-label^="us-east, 6 servers"]');
    await group.locator(".monaco-tl-twistie").click();
    await row("trainer-00003").waitFor({ state: "detached" });
    await row("trainer-00002").click();
    gateway.servers.splice(0, 1);
    gateway.servers.push({ id: "new", name: "newcomer", status: "starting", region: "eu-north" });
    await refresh();
    await row("newcomer").waitFor();
    assert.equal(await row("trainer-00003").count(), 0);
    await eventually(async () => assert.equal(await row("us-east").getAttribute("aria-expanded"), "false"));
    await eventually(async () =>
      assert.match((await row("trainer-00002").getAttribute("class")) ?? "", /selected/),
    );
  });

  function change(index: number, status: string): void {
    gateway.servers[index] = { ...gateway.servers[index], status };
  }

  async function refresh(): Promise<void> {
    const asked = gateway.nextRequest();
    await workbench.runCommand("Inference Gateway: Refresh Servers");
    await asked;
  }

  async function mark(name: string, command: string, word: string): Promise<void> {
    await chooseInMenu(workbench, row(name), command);
    await workbench.page.locator(`.monaco-list-row[aria-label^="${name}"][aria-label*="${word}"]`).waitFor();
  }

  function row(text: string): Locator {
    return workbench.treeRows("GPU Servers").filter({ hasText: text }).first();
  }

  /** The badges on the icon of our views. */
  function badges(): Locator {
    const { page } = workbench;
    const label = page.locator('[aria-label^="Inference Gateway"]');
    return page.locator(".part.activitybar .action-item", { has: label }).locator(".badge-content:visible");
  }
});
