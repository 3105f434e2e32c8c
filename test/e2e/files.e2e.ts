import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chooseInMenu } from "../host/contextMenu.ts";
import { waitForNotification } from "../host/notifications.ts";
import { openLabWindow } from "../host/serversWindow.ts";
import type { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
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

  const there = (): Readonly<Record<string, string>> => readTree(join(lab.home, "nano gpt"));

  async function chooseToUpload(): Promise<void> {
    await workbench.openContainer("Explorer");
    const folder = workbench.page
      .locator(".explorer-folders-view .monaco-list-row")
      .filter({ hasText: "nano gpt" })
      .first();
    await chooseInMenu(workbench, folder, "Upload to GPU Server…");
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
});
