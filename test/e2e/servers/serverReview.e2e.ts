import { fileURLToPath } from "node:url";
import { chooseInMenu } from "../../host/contextMenu.ts";
import { shareServersWindow } from "../../host/serversWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import type { ServersGateway } from "../../support/serversGateway.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const stop = { kind: "stop", name: "Halt", method: "POST", path: "/gpu/api/v1/servers/{id}/halt" };

describe("Actions in the settings", () => {
  let gateway: ServersGateway;
  let workbench: Workbench;

  shareServersWindow(
    root,
    3,
    { name: "Unknown", settings: { "inferenceGateway.servers.actions": { Unknown: { actions: [stop] } } } },
    (opened) => {
      gateway = opened.gateway;
      workbench = opened.window.workbench;
    },
  );

  it("are offered only after they have been reviewed", async () => {
    const { quickInput } = workbench;
    const row = workbench.treeRows("GPU Servers").filter({ hasText: "trainer-00000" });
    await chooseInMenu(workbench, row, "Set Up Start and Stop…");
    await quickInput.pick("Review Actions in Settings…");
    const line = quickInput.rows.filter({ hasText: `POST ${gateway.url}/gpu/api/v1/servers/{id}/halt` });
    await line.waitFor();
    await line.click();
    await quickInput.input.press("Enter");
    await chooseInMenu(workbench, row, "Stop Server…");
    await workbench.dialog.getByText(`POST ${gateway.url}/gpu/api/v1/servers/srv-0/halt`).waitFor();
    await workbench.answerDialog("Cancel");
  });
});
