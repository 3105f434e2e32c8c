import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { chooseInMenu } from "../host/contextMenu.ts";
import { waitForNotification, waitForStatus } from "../host/notifications.ts";
import { openLabWindow } from "../host/serversWindow.ts";
import type { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { eventually } from "../support/eventually.ts";
import { installModels, modelGpus } from "../support/standInModels.ts";
import type { ServersGateway } from "../support/serversGateway.ts";
import { SshLab } from "../support/sshLab.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const stop = { kind: "stop", name: "Halt", method: "POST", path: "/gpu/api/v1/servers/{id}/halt" };

/** A port on which model servers usually listen, and nothing does. */
async function freeUsualPort(): Promise<number> {
  for (let port = 8005; port < 8010; port++) {
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    await new Promise((resolve) => void server.close(resolve));
    if (isFree === true) return port;
  }
  throw new Error("Every usual port is taken.");
}

describe("Models on a server", () => {
  let lab: SshLab;
  let gateway: ServersGateway;
  let window: TestWindow;
  let workbench: Workbench;
  let others: ChildProcess | undefined;

  before(async function () {
    lab = await SshLab.open(this);
    lab.makeFolder(".cache");
    installModels(lab.home);
    lab.standIn("nvidia-smi", modelGpus);
    const settings = { "inferenceGateway.servers.actions": { Fleet: { actions: [stop] } } };
    ({ gateway, window } = await openLabWindow(root, lab, { settings }));
    workbench = window.workbench;
  });

  after(async () => {
    others?.kill();
    await window?.close();
    await gateway?.close();
    await lab?.close();
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  const row = (text: string): Locator => workbench.treeRows("GPU Servers").filter({ hasText: text }).first();
  const running = (command: string): number =>
    lab.processes().filter((each) => each.command.includes(command)).length;

  async function chat(model: string): Promise<void> {
    const view = workbench.chatView();
    await view.frame.getByRole("button", { name: `Model: ${model}` }).waitFor();
    // They would cover the button.
    await workbench.runCommand("Notifications: Clear All Notifications");
    await view.send("Hello");
    await view.transcript.getByText("Hello from the served model").waitFor();
    await view.waitUntilAnswered();
  }

  /** Four clicks: the menu, the command, the model, and the answer to the question. */
  async function startQwen(): Promise<void> {
    await chooseInMenu(workbench, row("trainer-08"), "Serve a Model…");
    const choice = workbench.quickInput.rows.filter({ hasText: "Qwen2.5-7B-Instruct" });
    await choice.getByText(/fits \(79\.6 GiB free on GPU 0\) · vLLM 0\.9\.1/).waitFor();
    await workbench.quickInput.pick("Qwen2.5-7B-Instruct");
    await workbench.dialog.getByText("Serve Qwen2.5-7B-Instruct on trainer-08?").waitFor();
    await workbench.dialog.getByText(/vllm' serve Qwen\/Qwen2\.5-7B-Instruct --host 127\.0\.0\.1/).waitFor();
    await workbench.answerDialog("Start Serving");
  }

  async function chatWithQwen(): Promise<void> {
    await chat("Qwen/Qwen2.5-7B-Instruct");
    await row("Qwen2.5-7B-Instruct").getByText("serving on GPU 0").waitFor();
    await workbench.closeTab("Hello from the served model");
  }

  it("are served with the command that is shown, and a chat opens once one responds", async () => {
    await startQwen();
    await chatWithQwen();
  });

  it("end with everything that was started for them, and with nothing else", async () => {
    assert.equal(running("sleep 471"), 1);
    await chooseInMenu(workbench, row("Qwen2.5-7B-Instruct"), "Stop Serving…");
    await workbench.answerDialog("Stop Serving");
    await waitForNotification(workbench, "Qwen2.5-7B-Instruct is no longer served.");
    assert.deepEqual([running("sleep 471"), running("server.py")], [0, 0]);
  });

  it("are served again with the profile of the earlier time, although the window is reloaded while they load", async () => {
    const program = join(lab.home, "server.py");
    writeFileSync(program, readFileSync(program, "utf8").replace('"1.5"', '"25"'));
    await startQwen();
    await row("Qwen2.5-7B-Instruct").getByText("loading weights").waitFor();
    await workbench.reload();
    await chatWithQwen();
    const profile = /Qwen2\.5-7B-Instruct on trainer-08 · /;
    await workbench.page.locator(".part.statusbar").getByText(profile).waitFor();
    await chooseInMenu(workbench, row("Qwen2.5-7B-Instruct"), "Copy Endpoint");
    await waitForStatus(workbench, "/v1 copied");
  });

  it("are named before their server is stopped, with jobs, VS Code windows, and what others run there", async () => {
    const { quickInput, dialog } = workbench;
    lab.standIn(
      "nvidia-smi",
      `m() {\n${modelGpus}\n}\nm "$@"; case "$*" in *" -l "*) while sleep 1; do m "$@"; done ;; esac`,
    );
    await chooseInMenu(workbench, row("trainer-08"), "Watch");
    lab.write("home lab/node", "sleep 473");
    await chooseInMenu(workbench, row("trainer-08"), "Run on Server…");
    await quickInput.pick("Login shell");
    await quickInput.input.fill("./node --type=extensionHost");
    await quickInput.rows.filter({ hasText: "./node" }).first().waitFor();
    await workbench.page.keyboard.press("Enter");
    await eventually(() => assert.equal(running("sleep 473"), 1));
    await chooseInMenu(workbench, row("trainer-08"), "Set Up Start and Stop…");
    await quickInput.pick("Review Actions in Settings…");
    await quickInput.rows.filter({ hasText: "/servers/{id}/halt" }).click();
    await quickInput.input.press("Enter");
    await quickInput.input.waitFor({ state: "hidden" });
    const isRoot = process.getuid?.() === 0;
    await row("GPU 1")
      .filter({ hasText: isRoot ? "(root)" : "(you)" })
      .waitFor();
    await chooseInMenu(workbench, row("trainer-08"), "Stop Server…");
    await dialog.getByText("Stop trainer-08?").waitFor();
    const text = (await dialog.textContent()) ?? "";
    for (const part of [
      "Qwen2.5-7B-Instruct, serving",
      "job node, ",
      "1 VS Code window",
      isRoot ? "1 process of root" : "node",
    ])
      assert.ok(text.includes(part), `${part}: ${text}`);
    await workbench.answerDialog("Cancel");
    await chooseInMenu(workbench, row("running for"), "Stop Job…");
    await workbench.answerDialog("Stop Job");
    await eventually(() => assert.deepEqual([running("sleep 473"), running("sleep 471")], [0, 1]));
    await chooseInMenu(workbench, row("trainer-08"), "Unwatch");
  });

  it("of the user are used without asking for the key that only their server knows", async () => {
    await chooseInMenu(workbench, row("trainer-08"), "Use a Model That Runs Here…");
    await workbench.quickInput.rows.filter({ hasText: "started by you" }).click();
    await chat("Qwen/Qwen2.5-7B-Instruct");
    await workbench.closeTab("Hello from the served model");
  });

  it("that run already are used once the user knows whose they are", async () => {
    const port = await freeUsualPort();
    const program = ["/usr/bin/python3", join(lab.home, "server.py"), "serve", "their/model-7B"];
    const isRoot = process.getuid?.() === 0;
    const account = ["setpriv", "--reuid=4711", "--regid=4711", "--clear-groups"];
    const [first = "", ...rest] = [...(isRoot ? account : []), ...program, "--port", String(port)];
    chmodSync(lab.home, 0o755);
    others = spawn(first, rest, { stdio: "ignore", cwd: "/", env: { LOADING_SECONDS: "0" } });
    await eventually(async () => assert.ok((await fetch(`http://127.0.0.1:${port}/v1/models`)).ok));
    await chooseInMenu(workbench, row("trainer-08"), "Use a Model That Runs Here…");
    const choice = workbench.quickInput.rows.filter({ hasText: "their/model-7B" });
    await choice.getByText(`port ${port}`).waitFor();
    await workbench.quickInput.pick("their/model-7B");
    if (isRoot) {
      await workbench.dialog.getByText("This endpoint belongs to UID 4711.").waitFor();
      await workbench.answerDialog("Use Endpoint");
    }
    await chat("their/model-7B");
    assert.equal(others.exitCode, null);
  });
});
