import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { chooseInMenu } from "../../host/contextMenu.ts";
import { shareWindow } from "../../host/sharedWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import { eventually } from "../../support/eventually.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

describe("Starting and stopping servers", () => {
  let workbench: Workbench;

  shareWindow(
    root,
    () => ({}),
    async (window) => {
      ({ workbench } = window);
      await workbench.startLocalGateway();
      await workbench.openContainer("Inference Gateway");
      await row("trainer-08").waitFor();
    },
  );

  const row = (name: string): Locator => workbench.treeRows("GPU Servers").filter({ hasText: name });

  async function expectRow(name: string, text: RegExp): Promise<void> {
    await eventually(async () => assert.match((await row(name).textContent()) ?? "", text));
  }

  it("asks before a server is stopped, says what that means, and sends nothing if it is canceled", async () => {
    await chooseInMenu(workbench, row("trainer-08"), "Stop Server…");
    const { dialog } = workbench;
    await dialog.getByText("Stop trainer-08?").waitFor();
    for (const text of [
      "Billing: GPU billing ends",
      "Data: Files outside",
      "Capacity: A later start",
      "What runs there",
    ])
      await dialog.getByText(text).first().waitFor();
    await workbench.answerDialog("Cancel");
    await expectRow("trainer-08", /Running/);
  });

  it("shows the expected change until the list confirms it, and starts the server again", async () => {
    await chooseInMenu(workbench, row("trainer-08"), "Stop Server…");
    await workbench.answerDialog("Stop Server");
    await expectRow("trainer-08", /Stopping \(requested /);
    await expectRow("trainer-08", /Stopped \d/);
    await row("trainer-08").hover();
    await row("trainer-08").getByRole("button", { name: "Start Server" }).click();
    await expectRow("trainer-08", /Starting \(requested /);
    await expectRow("trainer-08", /Running/);
  });

  it("reboots a server that has failed", async () => {
    await chooseInMenu(workbench, row("render-04"), "Reboot Server…");
    await workbench.answerDialog("Reboot Server");
    await expectRow("render-04", /Rebooting \(requested /);
    await expectRow("render-04", /Running/);
  });
});
