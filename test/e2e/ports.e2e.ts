import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { chooseInMenu } from "../host/contextMenu.ts";
import { hideNotifications, waitForNotification, waitForStatus } from "../host/notifications.ts";
import { openLabWindow } from "../host/serversWindow.ts";
import type { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { eventually } from "../support/eventually.ts";
import { startServer } from "../support/httpServer.ts";
import type { TestServer } from "../support/httpServer.ts";
import type { ServersGateway } from "../support/serversGateway.ts";
import { SshLab } from "../support/sshLab.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const remoteSsh = fileURLToPath(new URL("../fixtures/remote-ssh-extension", import.meta.url));
const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
const start = { kind: "start", name: "Start", method: "POST", path: "/gpu/api/v1/servers/{id}/start" };

describe("Ports of a server, and a server that must be started", () => {
  const own = mkdtempSync(join(tmpdir(), "ports-"));
  let lab: SshLab;
  let gateway: ServersGateway;
  let page: TestServer;
  let port = 0;
  let window: TestWindow;
  let workbench: Workbench;

  before(async function () {
    lab = await SshLab.open(this);
    page = await startServer(({ url }, response) => {
      if (url === "/v1/models") return void response.end('{"data":[{"id":"acme/own-model"}]}');
      if (url !== "/v1/chat/completions") return void response.end(bytes);
      response.setHeader("content-type", "text/event-stream");
      response.end('data: {"choices":[{"delta":{"content":"Through SSH."}}]}\n\ndata: [DONE]\n\n');
    });
    port = Number(new URL(page.url).port);
    writeFileSync(join(own, "config"), "");
    ({ gateway, window } = await openLabWindow(root, lab, {
      extensions: [remoteSsh],
      // An address reserved for documentation. SSH uses a different one.
      change: ({ public_ip: host, ...record }) => ({
        ...{ ...record, public_ip: "198.51.100.7", ssh_host: host, ssh_key_name: "team-key" },
      }),
      settings: {
        "inferenceGateway.servers.actions": { Fleet: { actions: [start] } },
        "remote.SSH.configFile": join(own, "config"),
      },
      environment: { TMPDIR: own },
    }));
    workbench = window.workbench;
  });

  after(async () => {
    await window?.close();
    await Promise.all([gateway?.close(), page?.close(), lab?.close()]);
    rmSync(own, { recursive: true, force: true });
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  const row = (text: string): Locator => workbench.treeRows("GPU Servers").filter({ hasText: text }).first();
  const near = (): string => `localhost:${port + 1}`;

  async function forward(): Promise<void> {
    const { quickInput } = workbench;
    await chooseInMenu(workbench, row("trainer-08"), "Forward Port…");
    await quickInput.input.fill(String(port));
    await quickInput.pickRow(quickInput.rows.filter({ hasText: String(port) }).first());
  }

  const fetched = async (): Promise<Buffer> =>
    Buffer.from(await (await fetch(`http://127.0.0.1:${port + 1}/`)).arrayBuffer());

  it("are forwarded, shown below the server, and connected again after a cut", async () => {
    await forward();
    await row(near()).getByText(`${near()} (${port} is in use)`).waitFor();
    assert.deepEqual(await fetched(), bytes);
    await waitForNotification(workbench, `Port ${port} of trainer-08 is forwarded to ${near()}`);
    await hideNotifications(workbench);
    lab.signalSessions("SIGKILL");
    await lab.stop();
    await row(near())
      .getByText(/^reconnecting… · /)
      .waitFor();
    const held = fetched();
    await lab.start();
    assert.deepEqual(await held, bytes);
    await row(near())
      .getByText(/^localhost/)
      .waitFor();
  });

  it("leave nothing on the server or here once forwarding has been stopped", async () => {
    const opened = workbench.page.context().waitForEvent("page");
    await chooseInMenu(workbench, row(near()), "Open in Browser");
    await (await opened).close();
    await chooseInMenu(workbench, row(near()), "Copy Address");
    await waitForStatus(workbench, `${near()} copied`);
    await chooseInMenu(workbench, row(near()), "Stop Forwarding Port");
    await row(near()).waitFor({ state: "detached" });
    await eventually(() =>
      assert.deepEqual(
        [lab.processes(), lab.sessionProcesses(), readdirSync(own).filter((name) => /tunnel/.test(name))],
        [[], [], []],
      ),
    );
    await assert.rejects(once(connect(port + 1, "127.0.0.1"), "connect"), /ECONNREFUSED/);
  });

  it("lead to a model that the user names by its port, and are forwarded, also after the window has been reloaded", async () => {
    const { quickInput } = workbench;
    await chooseInMenu(workbench, row("trainer-08"), "Use a Model That Runs Here…");
    await quickInput.pick("Choose another port or address…");
    await quickInput.pick("Enter another port or address…");
    await quickInput.answer(String(port));
    await quickInput.pick("SSH tunnel");
    await workbench.chatView().frame.getByRole("button", { name: "Model: acme/own-model" }).waitFor();
    await forward();
    await row(near())
      .getByText(/^localhost/)
      .waitFor();
    await workbench.reload();
    const view = workbench.chatView();
    await view.send("Hello");
    await view.transcript.getByText("Through SSH.").waitFor();
    await view.waitUntilAnswered();
    // A port that was forwarded waits for a program that uses it.
    await row(near())
      .getByText(/^connects when used · localhost/)
      .waitFor();
    await forward();
    await waitForNotification(workbench, `Port ${port} of trainer-08 is forwarded to ${near()}`);
    await hideNotifications(workbench);
    assert.deepEqual(await fetched(), bytes);
    await row(near())
      .getByText(/^localhost/)
      .waitFor();
    await chooseInMenu(workbench, row(near()), "Stop Forwarding Port");
    await row(near()).waitFor({ state: "detached" });
    await workbench.reload();
    await row("trainer-08").waitFor();
    assert.equal(await row(near()).count(), 0);
  });

  it("belong to a server that is known, whose new key isn't accepted, and that may refuse the user's", async () => {
    lab.makeKey("host");
    await lab.stop();
    await lab.start();
    await forward();
    const changed = await waitForNotification(workbench, "trainer-08 has a new SSH key.");
    await changed.getByText(/If they match, remove the old key: ssh-keygen -f ".+" -R "/).waitFor();
    assert.deepEqual(await changed.locator(".monaco-button").allTextContents(), ["Copy Fingerprint"]);
    await hideNotifications(workbench);
    lab.trustHost();
    lab.makeKey("user");
    await forward();
    const denied = await waitForNotification(workbench, "The server refused the SSH sign-in.");
    await denied.getByText(/Keys offered: user \(ED25519 SHA256:.+ the server accepts: team-key\./).waitFor();
    lab.allowUser();
  });

  it("can be forwarded once a stopped server has been started, which opens it as soon as it accepts SSH", async () => {
    const { quickInput } = workbench;
    const [running] = gateway.servers;
    gateway.servers.push({ id: "i-2", name: "sleeper", status: "stopped" });
    await workbench.runCommand("Inference Gateway: Refresh Servers");
    await chooseInMenu(workbench, row("sleeper"), "Set Up Start and Stop…");
    await quickInput.pick("Review Actions in Settings…");
    await quickInput.rows.filter({ hasText: "/servers/{id}/start" }).click();
    await quickInput.input.press("Enter");
    await chooseInMenu(workbench, row("sleeper"), "Open with Remote-SSH");
    await workbench.dialog.getByText("Start sleeper? It is stopped.").waitFor();
    await workbench.answerDialog("Start and Open");
    await row("sleeper")
      .getByText(/^Starting/)
      .waitFor();
    gateway.servers[1] = { ...running, id: "i-2", name: "sleeper" };
    await workbench.dialog.getByText("Add one line to your SSH configuration?").waitFor();
    const opened = workbench.page.context().waitForEvent("page");
    await workbench.answerDialog("Add Line");
    await (await opened).close();
  });
});
