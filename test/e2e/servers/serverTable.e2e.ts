import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { FrameLocator, Locator } from "playwright-core";
import { pressEntry } from "../../host/contextMenu.ts";
import { waitForStatus } from "../../host/notifications.ts";
import { shareWindow } from "../../host/sharedWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import { startServer } from "../../support/httpServer.ts";
import type { TestServer } from "../../support/httpServer.ts";
import { eventually } from "../../support/eventually.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const count = 2_000;
const planted = "planted-c2VjcmV0LXRva2Vu";

/** A list in which a secret is next to data that may be shown. */
function serverList(): string {
  const instances = Array.from({ length: count }, (_, index) => ({
    id: `srv-${index}`,
    name: `trainer-${String(count - index).padStart(4, "0")}`,
    status: index % 2 === 0 ? "running" : "stopped",
    region: ["eu-north-1", "us-east-1"][index % 2],
    public_ip: `203.0.113.${index % 250}`,
    private_ip: `10.0.0.${index % 250}`,
    price_hourly: index / 10,
    api_token: planted,
  }));
  return JSON.stringify({ instances });
}

describe("The page of GPU servers in VS Code", () => {
  let isDown = false;
  let requests = 0;
  let server: TestServer;
  let workbench: Workbench;

  shareWindow(
    root,
    async () => {
      server = await startServer((_, response) => {
        requests++;
        response.statusCode = isDown ? 503 : 200;
        response.setHeader("content-type", "application/json");
        response.end(isDown ? "{}" : serverList());
      });
      return {
        "inferenceGateway.profiles": [
          { name: "Cloud", gatewayUrl: server.url, gatewayCredential: "sessionToken" },
        ],
        "inferenceGateway.servers.refreshInterval": 0,
      };
    },
    (window) => void ({ workbench } = window),
  );

  after(() => server.close());

  const frame = (): FrameLocator => workbench.chatView().frame;
  const table = (): Locator => frame().getByRole("table", { name: "GPU servers" });
  const names = (): Locator => table().getByRole("rowheader");
  const head = (name: string): Locator => table().getByRole("columnheader", { name });
  const selected = (): Locator => table().locator("tbody tr[tabindex='0']").getByRole("rowheader");

  /** The server whose details are open in a tab. */
  async function openedName(): Promise<string> {
    return eventually(async () => {
      const title = await workbench.editorTab("trainer-").textContent();
      const [name] = /trainer-\d+/.exec(title ?? "") ?? [];
      assert.ok(name !== undefined, `The tab is titled ${title}.`);
      return name;
    });
  }

  it("explains what is missing, fixes it, and then lists the servers automatically", async () => {
    await workbench.runCommand("Inference Gateway: Show Servers as Table");
    await frame().getByRole("button", { name: "Set Session Token" }).click();
    await workbench.quickInput.answer("a-session-token");
    await frame().getByText("2,000 servers").waitFor();
    await eventually(async () => assert.equal(await names().first().textContent(), "trainer-0001"));
  });

  it("can be sorted and filtered, and offers the same server actions as the tree", async () => {
    await head("Name").getByRole("button").click();
    await eventually(async () => assert.equal(await names().first().textContent(), "trainer-2000"));
    await frame().getByRole("textbox", { name: "Filter Servers" }).fill("status:running -region:us");
    await frame().getByText("1,000 of 2,000 servers").waitFor();
    await names().getByText("trainer-0010", { exact: true }).click();
    await workbench.page.keyboard.press("Shift+F10");
    await pressEntry(workbench, "More", "Copy…");
    await workbench.quickInput.pick("Address");
    await waitForStatus(workbench, "Address copied");
    await names().getByText("trainer-0010", { exact: true }).click({ button: "right" });
    await pressEntry(workbench, "Pin Server");
    await names().filter({ hasText: "trainer-0010 pinned" }).waitFor();
    await workbench.runFromPicker("Server Actions…", "Copy…");
    await workbench.quickInput.pick("ID");
    await waitForStatus(workbench, "ID copied");
  });

  it("is restored after a window reload", async () => {
    await workbench.reload();
    await frame().getByText("1,000 of 2,000 servers").waitFor();
    await eventually(async () => assert.equal(await head("Name").getAttribute("aria-sort"), "descending"));
    await eventually(async () => assert.equal(await names().first().textContent(), "trainer-0010 pinned"));
  });

  it("keeps the last loaded rows, dimmed and with their age, if a refresh fails", async () => {
    isDown = true;
    await frame().getByRole("button", { name: "Refresh", exact: true }).first().click();
    await frame().getByText("Couldn't refresh", { exact: true }).waitFor();
    await names().first().waitFor();
    await eventually(async () =>
      assert.match((await table().textContent()) ?? "", /Running · as of \d\d:\d\d/),
    );
    isDown = false;
    await frame().getByRole("button", { name: "Refresh", exact: true }).first().click();
    await frame().getByText("Couldn't refresh", { exact: true }).waitFor({ state: "hidden" });
  });

  it("sends no request when browsed, shows no secret, and opens details with Enter", async () => {
    const before = requests;
    await selected().locator("xpath=..").focus();
    await workbench.page.keyboard.press("ArrowDown");
    await workbench.page.keyboard.press("Enter");
    await workbench.editorTab("trainer-").waitFor();
    const name = await openedName();
    await workbench.editorTab("GPU Servers").click();
    await names().getByText(name, { exact: true }).waitFor();
    // The next request is the one that the user wants.
    await frame().getByRole("button", { name: "Refresh", exact: true }).first().click();
    await eventually(() => assert.ok(requests > before));
    assert.equal(requests, before + 1);
    assert.ok(!workbench.consoleText.includes(planted));
  });
});
