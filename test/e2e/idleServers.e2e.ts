import assert from "node:assert/strict";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import type { UsePoint } from "../../src/core/servers/gpu/serverUse.ts";
import { ServerUseTable } from "../../src/storage/records/serverUseTable.ts";
import { chooseInMenu } from "../host/contextMenu.ts";
import { openServersWindow } from "../host/serversWindow.ts";
import type { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { eventually } from "../support/eventually.ts";
import { openRecords } from "../support/recordsFolder.ts";
import type { ServersGateway } from "../support/serversGateway.ts";
import { SshLab } from "../support/sshLab.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const stop = { kind: "stop", name: "Halt", method: "POST", path: "/gpu/api/v1/servers/{id}/halt" };
const minute = 60_000;

/** Like the tool, it reports once unless it is told to repeat, and no processes. */
const idleGpus = `case "$*" in *compute-apps*) exit ;; esac
while :; do
  for i in 0 1 2 3 4 5 6 7; do echo "$i, 0, 4, 81559, 30, 70.1, NVIDIA H100"; done
  case "$*" in *" -l "*) sleep 1 ;; *) exit ;; esac
done`;

/** The load of this machine is that of all tests that run, and a server with load isn't idle. */
const withoutLoad = `[ -n "$LAB_LOAD" ] || {
  LAB_LOAD=none "$0" | sed -u 's/^\\(IG1 host [^ ]*\\) [^ ]* [^ ]*/\\1 0 0/'
  exit
}`;

describe("Idle servers", () => {
  let lab: SshLab;
  let gateway: ServersGateway;
  let window: TestWindow;
  let workbench: Workbench;

  before(async function () {
    lab = await SshLab.open(this);
    lab.standIn("nvidia-smi", idleGpus);
    lab.useShell("sh", withoutLoad);
    const ports = [lab.target.port, 0, await closedPort()];
    ({ gateway, window } = await openServersWindow(root, 3, {
      change: (server, index) => ({
        ...{ ...server, public_ip: "127.0.0.1", ssh_port: ports[index], ssh_user: lab.user },
        price_per_hour: index === 0 ? "$24.00" : "$11.99",
      }),
      settings: {
        "inferenceGateway.servers.actions": { Fleet: { actions: [stop] } },
        // After a restart, nothing is said about the servers until their list has been refreshed.
        "inferenceGateway.servers.refreshInterval": 30,
      },
      environment: { PATH: lab.path },
    }));
    workbench = window.workbench;
  });

  after(async () => {
    await window?.close();
    await gateway?.close();
    await lab?.close();
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  const row = (name: string): Locator => workbench.treeRows("GPU Servers").filter({ hasText: name }).first();

  const cost = (): Locator =>
    workbench.page.locator(".part.statusbar .statusbar-item[id$='inferenceGateway.cost']");

  async function expectRow(name: string, text: RegExp): Promise<void> {
    await eventually(async () => {
      assert.match(((await row(name).textContent()) ?? "").replaceAll("\u00a0", " "), text);
    });
  }

  it("are measured over SSH as soon as they are watched", async () => {
    await chooseInMenu(workbench, row("trainer-00000"), "Watch");
    await expectRow("trainer-00000", /0% · 0\/637 GB · \$24\.00\/h/);
    await chooseInMenu(workbench, row("trainer-00002"), "Watch");
    await expectRow("trainer-00002", /GPU/);
  });

  it("are offered a Stop only once the actions have been reviewed", async () => {
    await chooseInMenu(workbench, row("trainer-00000"), "Set Up Start and Stop…");
    const { quickInput } = workbench;
    await quickInput.pick("Review Actions in Settings…");
    const line = quickInput.rows.filter({ hasText: "/servers/{id}/halt" });
    await line.click();
    await quickInput.input.press("Enter");
    await quickInput.input.waitFor({ state: "hidden" });
  });

  it("are still idle after a restart, and those without SSH are told apart", async () => {
    const now = Date.now();
    const storage = "data/User/globalStorage/inference-gateway.inference-gateway";
    const records = openRecords(join(window.server.dataFolder, storage, "records.db"));
    const history = new ServerUseTable(records);
    const point = (kind: UsePoint["kind"], since: number): UsePoint => ({
      ...{ at: now, since, kind, percent: kind === "idle" ? 0 : undefined },
      ...{ memoryPercent: undefined, requests: undefined, hasProcesses: kind === "idle" },
    });
    await history.note("Fleet", "srv-0", point("idle", now - 310 * minute));
    await history.note("Fleet", "srv-2", point("unreachable", now - 6.5 * minute));
    records.dispose();
    await workbench.runCommand("View: Show Explorer");
    await workbench.reload();
    await cost().filter({ hasText: "1 idle" }).waitFor();
    await workbench.openContainer("Inference Gateway");
    await expectRow("trainer-00000", /Idle 5 h 1\d min \(≈ \$12\d\) · \$24\.00\/h/);
    await expectRow("trainer-00002", /Running, no SSH for \d+ min · \$11\.99\/h/);
    assert.equal(await workbench.page.locator(".monaco-dialog-box, .notification-toast").count(), 0);
  });

  it("have a Stop in their row, which names what runs there and asks before it sends anything", async () => {
    await row("trainer-00000").hover();
    await row("trainer-00000").getByRole("button", { name: "Stop Server…" }).click();
    await workbench.dialog.getByText("Stop trainer-00000?").waitFor();
    await workbench.dialog.getByText("Nothing of yours runs there").waitFor();
    await workbench.answerDialog("Cancel");
    await row("trainer-00002").hover();
    await row("trainer-00002")
      .getByRole("button", { name: "Open SSH Session in Terminal" })
      .first()
      .waitFor();
    assert.equal(await row("trainer-00002").getByRole("button", { name: "Stop Server…" }).count(), 0);
  });

  it("come first in the list behind the status bar, from which they are stopped", async () => {
    await cost().click();
    const first = workbench.quickInput.rows.first();
    await first.filter({ hasText: /trainer-00000.*idle 5 h/ }).waitFor();
    await first.hover();
    // Within half a second after the last test's Stop, another one counts as a double click.
    await workbench.page.waitForTimeout(500);
    await first.getByRole("button", { name: "Stop Server…" }).click();
    await workbench.dialog.getByText("Stop trainer-00000?").waitFor();
    await workbench.answerDialog("Cancel");
  });

  it("have nothing left running on them once they are no longer watched", async () => {
    await chooseInMenu(workbench, row("trainer-00000"), "Unwatch");
    await expectRow("trainer-00000", /Running · \$24\.00\/h/);
    await eventually(() => assert.deepEqual([lab.processes(), lab.sessionProcesses()], [[], []]));
  });
});

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
