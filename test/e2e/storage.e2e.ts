import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { showNotifications } from "../host/notifications.ts";
import { filesBelow } from "../host/secretHunt.ts";
import type { TestWindow } from "../host/testWindow.ts";
import { askForWords, openWordWindow } from "../host/wordWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { LockingProcess } from "../support/windowProcesses.ts";
import type { WordServer } from "../support/wordServer.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pictures = join(root, "out", "storage");

describe("Conversations that can't be stored for now", () => {
  let words: WordServer;
  let window: TestWindow;
  let workbench: Workbench;
  openWordWindow(
    { extension: root, server: { settings: { "inferenceGateway.chat.generateTitles": false } } },
    (opened) => {
      ({ words, window, workbench } = opened);
    },
  );

  function databaseFile(): string {
    const file = filesBelow(window.server.dataFolder).find(({ name }) => name.endsWith("conversations.db"));
    return file?.name ?? assert.fail("There is no database.");
  }

  it("are reported by a banner that names the cause, and lose nothing that is closed and opened again", async () => {
    const { chat, stream } = await askForWords({ words, workbench }, "mike");
    await stream.waitForWords(20);
    const banner = chat.frame.getByRole("alert").filter({ hasText: "can't be saved" });
    const lock = await LockingProcess.hold(databaseFile(), "BEGIN EXCLUSIVE");
    try {
      const start = Date.now();
      await banner.waitFor();
      assert.ok(Date.now() - start < 3_000, `It took ${Date.now() - start} ms.`);
      assert.match(
        (await banner.textContent()) ?? "",
        /another program or a suspended window has locked the file/u,
      );
      mkdirSync(pictures, { recursive: true });
      await workbench.page.screenshot({ path: join(pictures, "banner.png") });
      stream.finish();
      await chat.waitUntilAnswered();
      const shown = await chat.transcript.textContent();
      await workbench.runCommand("View: Close All Editors");
      await workbench.runCommand("Inference Gateway: Open Conversation…");
      await workbench.quickInput.pickRow(workbench.quickInput.rows.filter({ hasText: "mike" }).first());
      const again = workbench.chatView();
      await again.lastArticle.getByText("mike-20").waitFor();
      assert.equal(await again.transcript.textContent(), shown);
      await showNotifications(workbench);
      assert.equal(await workbench.page.locator(".notifications-center .notification-list-item").count(), 0);
    } finally {
      await lock.release();
    }
    await banner.waitFor({ state: "detached" });
    const names = readdirSync(dirname(databaseFile()));
    assert.deepEqual(
      names.filter((name) => name.includes(".spill-")),
      [],
    );
  });

  it("are checked by a command, which lists what can be restored", async () => {
    const file = databaseFile();
    copyFileSync(file, `${file}.backup-2026-01-31T12-00-00-000Z`);
    await workbench.runFromPicker("Manage Profile…", "Check Conversation Storage…");
    await workbench.quickInput.rows.filter({ hasText: "The stored conversations are intact" }).waitFor();
    await workbench.quickInput.rows.filter({ hasText: "nothing to restore" }).waitFor();
    await workbench.page.screenshot({ path: join(pictures, "check.png") });
    await workbench.quickInput.dismiss();
  });

  it("are restored from a backup that the user selects in the check", async () => {
    const file = databaseFile();
    const [backup, kept] = [`${file}.backup-2026-01-31T12-00-00-000Z`, join(pictures, "kept.db")];
    // What was written is moved into the file by then.
    await sleep(3_000);
    copyFileSync(file, kept);
    rmSync(backup);
    await workbench.runCommand("View: Close All Editors");
    const database = new DatabaseSync(file);
    database.exec("DELETE FROM conversation");
    database.close();
    await sleep(3_000);
    renameSync(kept, backup);
    await workbench.runFromPicker("Manage Profile…", "Check Conversation Storage…");
    await workbench.quickInput.pickRow(
      workbench.quickInput.rows.filter({ hasText: "messages to restore: 2" }),
    );
    await workbench.dialog.getByText("Restore what only").waitFor();
    await workbench.answerDialog("Restore");
    await workbench.quickInput.rows.filter({ hasText: "nothing to restore" }).waitFor();
    await workbench.quickInput.dismiss();
    await workbench.runCommand("Inference Gateway: Open Conversation…");
    await workbench.quickInput.pickRow(workbench.quickInput.rows.filter({ hasText: "mike" }).first());
    await workbench.chatView().lastArticle.getByText("mike-20").waitFor();
  });

  it("are restored from a backup when their file is emptied, and the user is told", async () => {
    const file = databaseFile();
    await sleep(3_000);
    copyFileSync(file, `${file}.backup-2026-01-31T12-00-00-000Z`);
    truncateSync(file, 0);
    await showNotifications(workbench);
    const notice = workbench.page
      .locator(".notification-list-item")
      .filter({ hasText: "conversation file was" });
    await notice.first().waitFor({ timeout: 30_000 });
    await workbench.page.screenshot({ path: join(pictures, "restored.png") });
    await workbench.runCommand("View: Close All Editors");
    await workbench.runCommand("Inference Gateway: Open Conversation…");
    await workbench.quickInput.pickRow(workbench.quickInput.rows.filter({ hasText: "mike" }).first());
    await workbench.chatView().lastArticle.getByText("mike-20").waitFor();
  });
});
