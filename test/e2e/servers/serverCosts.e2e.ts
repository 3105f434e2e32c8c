import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { FrameLocator, Locator } from "playwright-core";
import { waitForStatus } from "../../host/notifications.ts";
import { shareServersWindow } from "../../host/serversWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import { eventually } from "../../support/eventually.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const started = new Date(Date.now() - 50 * 3_600_000).toISOString();

// The first file in this folder, because the costs of what other files list would be counted, too.
describe("The costs of GPU servers", () => {
  let workbench: Workbench;

  shareServersWindow(
    root,
    4,
    {
      name: "Fleet",
      change: (server, index) =>
        index === 2 ? server : { ...server, price_per_hour: "$24.00", started_at: started },
      settings: { "inferenceGateway.servers.refreshInterval": 30 },
    },
    ({ window }) => void ({ workbench } = window),
  );

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

  it("are on a page for today, the week and the month, which is exported as CSV and restored after a reload", async () => {
    const { quickInput } = workbench;
    await item().click();
    await quickInput.pick("Open Costs");
    const frame = (): FrameLocator => workbench.chatView().frame;
    const table = (): Locator => frame().getByRole("table", { name: "Costs", exact: true });
    await frame().getByText("Disks of servers").waitFor();
    await frame().getByText("Days begin at 00:00 UTC.").waitFor();
    await frame().getByRole("combobox", { name: "Group By" }).selectOption("Server");
    await table().getByRole("rowheader", { name: "trainer-00000" }).waitFor();
    await frame().getByRole("button", { name: "Today" }).click();
    await frame().getByText("Times are in UTC.").waitFor();

    await frame().getByRole("button", { name: "Export as CSV…" }).click();
    // The dialog opens before it has the name, and takes no key before it has listed the folder.
    await eventually(async () => assert.match((await quickInput.text()) ?? "", /Costs\.csv$/));
    const path = (await quickInput.text()) ?? "";
    await quickInput.rows.first().waitFor();
    await quickInput.input.press("Enter");
    await waitForStatus(workbench, "The costs were exported.");
    const csv = readFileSync(path, "utf8");
    rmSync(path);
    assert.match(csv, /^"Beginning \(UTC\)","Server","Model","Profile","Workspace","Currency",/);
    assert.match(csv, /"trainer-00000","","Fleet","","USD","?/);

    await workbench.reload();
    await frame().getByText("Times are in UTC.").waitFor();
    await table().getByRole("rowheader", { name: "trainer-00000" }).waitFor();
  });

  it("leave the status bar as soon as the user signs out", async () => {
    await item().waitFor();
    await workbench.runCommand("Inference Gateway: Sign Out");
    await workbench.answerDialog("Sign Out");
    await item().waitFor({ state: "hidden", timeout: 20_000 });
  });

  function item(): Locator {
    return workbench.page.locator(".part.statusbar .statusbar-item[id$='inferenceGateway.cost']");
  }
});
