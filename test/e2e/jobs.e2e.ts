import assert from "node:assert/strict";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { chooseInMenu } from "../host/contextMenu.ts";
import { findExtensionHost } from "../host/extensionHostProcess.ts";
import {
  answerNotification,
  notification,
  showNotifications,
  waitForNotification,
} from "../host/notifications.ts";
import { placesOfPage } from "../host/secretHunt.ts";
import { openLabWindow } from "../host/serversWindow.ts";
import type { TestWindow } from "../host/testWindow.ts";
import { Workbench } from "../host/workbench.ts";
import { eventually } from "../support/eventually.ts";
import { writeTree } from "../support/fileTrees.ts";
import type { ServersGateway } from "../support/serversGateway.ts";
import { SshLab } from "../support/sshLab.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const training = 'echo "step 1/2"; until [ -e go ]; do sleep 0.2; done; echo "step 2/2"; exit 3';
const key = "hf_AbCdEfGhIjKlMnOpQrStUvWxYz12345678";
const failed = "train.sh on trainer-08 failed at";

describe("A job on a server", function () {
  const parent = mkdtempSync(join(tmpdir(), "workspace-"));
  const project = join(parent, "nanogpt");
  let lab: SshLab;
  let gateway: ServersGateway;
  let window: TestWindow;
  let workbench: Workbench;

  before(async function () {
    lab = await SshLab.open(this);
    const there = lab.makeFolder("nanogpt");
    lab.write("home lab/nanogpt/train.sh", training);
    writeFileSync(join(there, "train.py"), "old");
    writeTree(project, { "train.py": "print('new')" });
    utimesSync(join(project, "train.py"), 4_000_000_000, 4_000_000_000);
    ({ gateway, window } = await openLabWindow(root, lab, { folder: project }));
    workbench = window.workbench;
  });

  after(async () => {
    await window?.close();
    await gateway?.close();
    await lab?.close();
    rmSync(parent, { recursive: true, force: true });
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  const row = (name: string): Locator => workbench.treeRows("GPU Servers").filter({ hasText: name }).first();
  const log = (): Locator => workbench.page.locator(".editor-instance .view-lines");

  async function askForCommand(): Promise<void> {
    await chooseInMenu(workbench, row("trainer-08"), "Run on Server…");
    await workbench.quickInput.pick("Login shell");
  }

  async function runOnServer(command: string): Promise<void> {
    await askForCommand();
    await workbench.quickInput.input.fill(command);
    await workbench.page
      .getByText(/^Runs in .+ on trainer-08 as .+ \(Login shell\)\. Keeps running when you disconnect\.$/)
      .waitFor();
    await workbench.quickInput.rows.filter({ hasText: command }).first().waitFor();
    await workbench.page.keyboard.press("Enter");
  }

  it("isn't started by Enter without a command, which changes nothing else either", async () => {
    await askForCommand();
    const first = workbench.quickInput.rows.filter({ hasText: "Upload 1 changed file first" });
    await first.getByText(/^Off · /).waitFor();
    await workbench.page.keyboard.press("Enter");
    // It would be turned at once.
    await workbench.page.waitForTimeout(500);
    assert.equal(await first.getByText(/^Off · /).count(), 1);
    await workbench.page.keyboard.press("Escape");
    await workbench.quickInput.input.waitFor({ state: "hidden" });
  });

  it("is shown below its server while it runs, with a log that follows, also after the window is reloaded", async () => {
    await runOnServer("./train.sh");
    await row("train.sh")
      .getByText(/running for .+ · step 1\/2/)
      .waitFor();
    await row("train.sh").click();
    await log().getByText("step 1/2").waitFor();
    await workbench.reload();
    await row("train.sh")
      .getByText(/running for .+ · step 1\/2/)
      .waitFor();
    // VS Code doesn't open read-only documents again by itself.
    await row("train.sh").click();
    await log().getByText("step 1/2").waitFor();
    assert.equal(readdirSync(join(lab.home, ".cache/inference-gateway/jobs")).length, 1);
  });

  it("is reported once when it has ended, with its exit code", async () => {
    writeFileSync(join(lab.home, "nanogpt/go"), "");
    await log().getByText("step 2/2").waitFor();
    const found = await waitForNotification(workbench, failed);
    assert.match((await found.textContent()) ?? "", /exit code 3, after .+\. step 2\/2/);
    await row("train.sh")
      .getByText(/^failed: step 2\/2 · exit code 3 · after /)
      .waitFor();
    await workbench.reload();
    await row("train.sh")
      .getByText(/exit code 3/)
      .waitFor();
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    await showNotifications(workbench);
    assert.equal(await notification(workbench, failed).count(), 0);
    await workbench.page.keyboard.press("Escape");
  });

  it("is stopped after a question, and removed with everything that the server has of it", async () => {
    await runOnServer(`HF_TOKEN=${key} sleep 4711`);
    await row("sleep")
      .getByText(/running for/)
      .waitFor();
    await chooseInMenu(workbench, row("train.sh"), "Run Again…");
    await workbench.quickInput.rows.filter({ hasText: "./train.sh" }).first().waitFor();
    await workbench.page.keyboard.press("Enter");
    await row("train.sh")
      .getByText(/exit code 3 · after [01] s/)
      .waitFor();
    await row("sleep").hover();
    // A double click asks once.
    await row("sleep").getByRole("button", { name: "Stop Job…" }).dblclick();
    await workbench.dialog.getByText("Stop sleep on trainer-08?").waitFor();
    await workbench.answerDialog("Stop Job");
    await row("sleep")
      .getByText(/^stopped after/)
      .waitFor();
    assert.equal(await workbench.dialog.count(), 0);
    assert.deepEqual(
      lab.processes().filter(({ command }) => command.includes("4711")),
      [],
    );
    await chooseInMenu(workbench, row("sleep"), "Remove Job…");
    await workbench.answerDialog("Remove All 3 Ended Jobs");
    await row("train.sh").waitFor({ state: "detached" });
    await eventually(() => assert.equal(existsSync(join(lab.home, ".cache/inference-gateway")), false));
    assert.ok(existsSync(join(lab.home, "nanogpt/go")));
  });

  it("starts after its changed files were uploaded, if the user wants that, and keeps no secret in the history", async () => {
    await askForCommand();
    const first = workbench.quickInput.rows.filter({ hasText: "Upload 1 changed file first" });
    await first.getByText(/^Off · 12 bytes, from nanogpt to ~\/nanogpt$/).waitFor();
    await first.getByText("train.py").waitFor();
    assert.equal(await workbench.quickInput.rows.filter({ hasText: "4711" }).count(), 0);
    assert.equal(await workbench.quickInput.rows.filter({ hasText: "./train.sh" }).count(), 1);
    await first.click();
    await first.getByText(/^On · /).waitFor();
    await workbench.quickInput.input.fill("cat train.py");
    await workbench.quickInput.rows.filter({ hasText: "cat train.py" }).first().waitFor();
    await workbench.page.keyboard.press("Enter");
    await row("train.py")
      .getByText(/exit code 0 after .+ · print\('new'\)/)
      .waitFor();
    assert.equal(readFileSync(join(lab.home, "nanogpt/train.py"), "utf8"), "print('new')");
    await askForCommand();
    await workbench.quickInput.rows.filter({ hasText: "cat train.py" }).first().waitFor();
    assert.equal(await first.count(), 0);
    await workbench.page.keyboard.press("Escape");
  });

  it("ends while its window is gone, is reported at the next start, and gives back what it has written", async () => {
    const finish = join(lab.home, "nanogpt/finish");
    const script = "until [ -e finish ]; do sleep 0.2; done; echo weights > model.bin; echo trained";
    writeTree(project, { "walk.sh": script });
    utimesSync(join(project, "walk.sh"), 1_000_000_000, 1_000_000_000);
    await askForCommand();
    const first = workbench.quickInput.rows.filter({ hasText: "Upload 1 changed file first" });
    // As the last time.
    await first.getByText(/^On · /).waitFor();
    await workbench.quickInput.input.fill("sh walk.sh");
    await workbench.quickInput.rows.filter({ hasText: "sh walk.sh" }).first().waitFor();
    await workbench.page.keyboard.press("Enter");
    await row("walk.sh")
      .getByText(/running for/)
      .waitFor();
    // VS Code writes what extensions store some seconds later.
    await eventually(async () => {
      const [page] = await placesOfPage(workbench.page);
      assert.match(page?.text ?? "", /command[\\"]+:[\\"]+sh walk\.sh/);
    });
    process.kill(await findExtensionHost(window.server), "SIGKILL");
    await workbench.page.goto("about:blank");
    writeFileSync(finish, "");
    await eventually(() => assert.ok(existsSync(join(lab.home, "nanogpt/model.bin"))));
    await workbench.page.goBack();
    await workbench.waitUntilReady();
    await answerNotification(workbench, "walk.sh on trainer-08 finished at", "Download New Files…");
    await eventually(async () => assert.equal(await workbench.quickInput.text(), `${project}/`));
    await workbench.quickInput.rows.first().waitFor();
    await workbench.page.keyboard.press("Enter");
    await waitForNotification(workbench, "Downloaded 2 files to");
    assert.equal(readFileSync(join(project, "model.bin"), "utf8"), "weights\n");
    await row("walk.sh")
      .getByText(/exit code 0 after .+ · trained/)
      .waitFor();
  });

  it("has no exit code when the server has restarted, which one of two windows reports, and runs again", async () => {
    const jobs = join(lab.home, ".cache/inference-gateway/jobs");
    await runOnServer("sleep 4713");
    await row("sleep")
      .getByText(/running for/)
      .waitFor();
    const other = await Workbench.open(workbench.page.context(), window.server, {
      ...{ extension: root, folder: parent, environment: { PATH: lab.path } },
    });
    await other.openContainer("Inference Gateway");
    const rowThere = other.treeRows("GPU Servers").filter({ hasText: "sleep" }).first();
    await rowThere.getByText(/running for/).waitFor();
    const id = readdirSync(jobs).find(
      (each) => readFileSync(join(jobs, each, "command"), "utf8") === "sleep 4713\n",
    );
    const file = join(jobs, id ?? "", "pid");
    writeFileSync(file, readFileSync(file, "utf8").replace(/\S+\n$/, "another-boot\n"));
    for (const { pid } of lab.processes()) process.kill(pid, "SIGKILL");
    const restarted = /^no exit code, the server restarted at \d\d:\d\d$/;
    await Promise.all([row("sleep"), rowThere].map((each) => each.getByText(restarted).waitFor()));
    await chooseInMenu(workbench, row("sleep"), "Run Again…");
    await workbench.quickInput.rows.filter({ hasText: "sleep 4713" }).first().waitFor();
    await workbench.page.keyboard.press("Enter");
    await Promise.all([row("sleep"), rowThere].map((each) => each.getByText(/running for/).waitFor()));
    const counts: number[] = [];
    for (const each of [workbench, other]) {
      await each.page.bringToFront();
      await showNotifications(each);
      counts.push(await notification(each, "sleep on trainer-08: The server restarted at").count());
    }
    assert.deepEqual(counts.toSorted(), [0, 1]);
  });
});
