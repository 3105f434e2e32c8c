import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { openServersWindow } from "../host/serversWindow.ts";
import type { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import type { ServersGateway } from "../support/serversGateway.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const started = new Date(Date.now() - 50 * 3_600_000).toISOString();

describe("The costs of GPU servers", () => {
  let gateway: ServersGateway;
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    ({ gateway, window } = await openServersWindow(root, 4, {
      change: (server, index) =>
        index === 2 ? server : { ...server, price_per_hour: "$24.00", started_at: started },
      settings: { "inferenceGateway.servers.refreshInterval": 30 },
    }));
    workbench = window.workbench;
  });

  after(async () => {
    await window.close();
    await gateway.close();
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("are in the status bar after a start, without opening a view and without a question", async () => {
    await item().filter({ hasText: "$48/h + 1 unpriced" }).waitFor();
    await workbench.runCommand("View: Show Explorer");
    await workbench.reload();
    await item().filter({ hasText: "$48/h + 1 unpriced" }).waitFor();
    assert.equal(await workbench.page.locator(".monaco-dialog-box, .notification-toast").count(), 0);
  });

  it("lead to the running servers, with what they cost today and this month in the hover", async () => {
    await item().hover();
    const hover = workbench.page.locator(".workbench-hover").filter({ hasText: "Not included:" });
    await hover.waitFor();
    const text = ((await hover.textContent()) ?? "").replaceAll("\u00a0", " ");
    assert.match(text, /trainer-00000 · \$24\.00\/h · running for 2 d/);
    assert.match(text, /Today ≈ \$[\d,.]+ · \w+ ≈ \$[\d,.]+ \(UTC\)/);
    assert.match(text, /Not included: 1 server without a price, disks, 1 server that isn't running\./);
    await item().click();
    await workbench.page.locator(".quick-input-title", { hasText: "Running Servers" }).waitFor();
    await workbench.quickInput.dismiss();
  });

  it("include what the user sets for a GPU and for stopped servers, without editing a file", async () => {
    await item().click();
    await workbench.quickInput.pick("Set Prices…");
    await workbench.quickInput.pick("NVIDIA H100");
    await workbench.quickInput.answer("2.50 USD");
    await workbench.quickInput.pick("For Each GPU");
    await workbench.quickInput.pick("Stopped servers");
    await workbench.quickInput.pick("Full Price");
    await workbench.page.locator(".quick-input-title", { hasText: "Set Prices of" }).waitFor();
    await workbench.quickInput.dismiss();
    await workbench.openContainer("Inference Gateway");
    // Three servers run and one is stopped, each with 8 GPUs.
    await workbench.page.locator(".pane-header .description", { hasText: "$80.00/h" }).waitFor();
  });

  function item(): Locator {
    return workbench.page.locator(".part.statusbar .statusbar-item[id$='inferenceGateway.cost']");
  }
});
