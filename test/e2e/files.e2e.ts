import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
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
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { chooseInMenu } from "../host/contextMenu.ts";
import { answerNotification, waitForNotification } from "../host/notifications.ts";
import { openLabWindow } from "../host/serversWindow.ts";
import type { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { eventually } from "../support/eventually.ts";
import { readTree, writeTree } from "../support/fileTrees.ts";
import type { ServersGateway } from "../support/serversGateway.ts";
import { SshLab } from "../support/sshLab.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("Files of a server", () => {
  const workspace = mkdtempSync(join(tmpdir(), "workspace-"));
  const project = join(workspace, "nano gpt");
  let lab: SshLab;
  let gateway: ServersGateway;
  let window: TestWindow;
  let workbench: Workbench;

  before(async function () {
    lab = await SshLab.open(this);
    writeTree(project, {
      "train.py": "print('hello')",
      'data/ä "quoted" name.txt': "text",
      ".gitignore": "cache/\n",
      "cache/large.bin": "x",
      ".env": "KEY=1",
    });
    ({ gateway, window } = await openLabWindow(root, lab, { folder: workspace }));
    workbench = window.workbench;
  });

  after(async () => {
    await window?.close();
    await gateway?.close();
    await lab?.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  const server = (): Locator => workbench.treeRows("GPU Servers").filter({ hasText: "trainer-08" }).first();
  const inExplorer = (name: string): Locator =>
    workbench.page.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: name }).first();
  const there = (): Readonly<Record<string, string>> => readTree(join(lab.home, "nano gpt"));

  async function chooseToUpload(): Promise<void> {
    await workbench.openContainer("Explorer");
    await chooseInMenu(workbench, inExplorer("nano gpt"), "Upload to GPU Server…");
    await workbench.quickInput.pick("trainer-08");
  }

  it("uploads a folder from the Explorer without what Git ignores, and names files with secrets first", async () => {
    await chooseToUpload();
    const plan = workbench.quickInput.rows.filter({ hasText: "~/nano gpt (new)" });
    await plan.getByText(/4 files, .* free/).waitFor();
    await plan.getByText(/1 skipped by \.gitignore · May contain secrets: \.env/).waitFor();
    await workbench.quickInput.pick("~/nano gpt (new)");
    await workbench.dialog.getByText("Upload a file that usually contains secrets?").waitFor();
    await workbench.answerDialog("Leave Out");
    await waitForNotification(workbench, "Uploaded 3 files to trainer-08:~/nano gpt.");
    const expected = Object.entries(readTree(project)).filter(([path]) => !/^(?:cache|\.env)/.test(path));
    assert.deepEqual(there(), Object.fromEntries(expected));
  });

  it("asks once before it replaces files, and keeps newer ones if the user wants that", async () => {
    writeFileSync(join(project, "train.py"), "print('changed')");
    writeFileSync(join(project, "data/new.txt"), "new");
    writeFileSync(join(lab.home, 'nano gpt/data/ä "quoted" name.txt'), "newer there");
    utimesSync(join(lab.home, 'nano gpt/data/ä "quoted" name.txt'), 4_000_000_000, 4_000_000_000);
    await chooseToUpload();
    await workbench.quickInput.pick("~/nano gpt");
    await workbench.answerDialog("Leave Out");
    await workbench.dialog.getByText("Replace 2 files on trainer-08?").waitFor();
    await workbench.dialog.getByText("1 is newer there.").waitFor();
    await workbench.answerDialog("Keep Newer");
    await waitForNotification(workbench, "Uploaded 2 files to trainer-08:~/nano gpt.");
    assert.equal(readFileSync(join(lab.home, 'nano gpt/data/ä "quoted" name.txt'), "utf8"), "newer there");
    assert.equal(readFileSync(join(lab.home, "nano gpt/train.py"), "utf8"), "print('changed')");
  });

  it("downloads what was chosen by browsing, with nothing half-written under its name, and continues after Cancel", async () => {
    const results = lab.makeFolder("runs/results 1");
    writeTree(results, { "model.bin": randomBytes(8_000_000), "log.txt": "loss 0.1" });
    lab.standIn("tar", '/usr/bin/tar "$@" | head -c 5000000; exec sleep 300');
    await workbench.openContainer("Inference Gateway");
    await chooseInMenu(workbench, server(), "Download from Server…");
    await workbench.quickInput.rows.filter({ hasText: "~/nano gpt" }).first().waitFor();
    // The folder above has such a row as well.
    await workbench.quickInput.rows.filter({ hasText: ".." }).first().click();
    await workbench.quickInput.pick("runs");
    await workbench.quickInput.pick("results 1");
    await workbench.quickInput.rows.filter({ hasText: "~/runs/results 1" }).first().waitFor();
    await workbench.quickInput.pick("Download This Folder");
    // Beside the project, which would upload it otherwise.
    await eventually(async () => assert.equal(await workbench.quickInput.text(), `${dirname(workspace)}/`));
    await workbench.quickInput.answer(workspace);
    // The first Enter opens the folder in the dialog, and the second one chooses it, unless the dialog has opened it
    // while it was typed.
    const destination = join(workspace, "results 1");
    await eventually(async () => {
      if ((await workbench.quickInput.text()) === `${workspace}/`)
        await workbench.page.keyboard.press("Enter");
      assert.ok(existsSync(destination));
    });
    const title = "Downloading from trainer-08";
    await eventually(async () => {
      const progress = await waitForNotification(workbench, title);
      assert.match((await progress.textContent()) ?? "", /[45][\d.]* of 8 MB/);
    });
    await answerNotification(workbench, title, "Cancel");
    assert.match(readdirSync(destination).join(), /^\.inference-gateway-[0-9a-f]{16}$/);
    lab.standIn("tar", 'exec /usr/bin/tar "$@"');
    await answerNotification(workbench, "are kept so that it can continue.", "Continue");
    const done = await waitForNotification(workbench, "Downloaded 2 files to");
    await done.getByRole("button", { name: "Open Folder" }).waitFor();
    assert.deepEqual(readTree(destination), readTree(results));
  });

  it("uploads what is dropped on a server to where its folder went", async () => {
    writeFileSync(join(project, "train.py"), "print('dropped')");
    await workbench.page.keyboard.press("Control+P");
    await workbench.quickInput.input.fill("train.py");
    await workbench.quickInput.pick("train.py");
    await workbench.openContainer("Inference Gateway");
    await workbench.editorTab("train.py").dragTo(server());
    await workbench.quickInput.pick("~/nano gpt");
    await workbench.answerDialog("Replace All");
    await waitForNotification(workbench, "Uploaded 1 file to trainer-08:~/nano gpt.");
    assert.equal(readFileSync(join(lab.home, "nano gpt/train.py"), "utf8"), "print('dropped')");
  });
});
