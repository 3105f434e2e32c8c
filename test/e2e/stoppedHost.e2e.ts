import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import type { ChatView } from "../host/chatView.ts";
import { findExtensionHost } from "../host/extensionHostProcess.ts";
import type { TestWindow } from "../host/testWindow.ts";
import { openWordWindow } from "../host/wordWindow.ts";
import { Workbench } from "../host/workbench.ts";
import type { WordServer } from "../support/wordServer.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Milliseconds of recent data that may be lost when the process is killed. */
const lossMs = 300;

describe("A response whose extension host is suspended", () => {
  let words: WordServer;
  let window: TestWindow;
  openWordWindow({ server: { extensions: [root] } }, (opened) => ({ words, window } = opened));

  it("is shown as streaming in a second window, and loses nothing when its host is killed later", async () => {
    const { workbench } = window;
    await workbench.runCommand("Inference Gateway: New Chat");
    await workbench.chatView().send("juliett");
    const stream = await words.waitForStream("juliett");
    await shown(workbench.chatView(), 60).waitFor();
    const host = await findExtensionHost(window.server);
    process.kill(host, "SIGSTOP");
    // Longer than a lease lasts if it is judged by the clock.
    await sleep(12_000);
    const second = await Workbench.open(workbench.page.context(), window.server, {
      folder: mkdtempSync(join(tmpdir(), "workspace-")),
    });
    await second.runCommand("Inference Gateway: Open Conversation…");
    await second.quickInput.pickRow(second.quickInput.rows.filter({ hasText: "juliett" }).first());
    const chat = second.chatView();
    await shown(chat, 20).waitFor();
    await eventually(async () => assert.equal(await shown(chat, 20).getAttribute("aria-busy"), "true"));
    process.kill(host, "SIGCONT");
    const stopped = stream.wordCount;
    await stream.waitForWords(stopped + 100);
    await shown(chat, stopped + 50).waitFor();
    // It has caught up with what was sent while it was suspended.
    const expected = stream.wordCount;
    await shown(chat, expected).waitFor();
    await sleep(lossMs);
    process.kill(host, "SIGKILL");
    await chat.frame.getByRole("button", { name: "Retry" }).waitFor();
    const text = (await shown(chat, 1).textContent()) ?? "";
    const numbers = [...text.matchAll(/juliett-(\d+)/gu)].map(([, number]) => Number(number));
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
    );
    assert.ok(numbers.length >= expected, `${numbers.length} words are left of ${expected}.`);
  });
});

/** The response, once it has reached this word. */
function shown(chat: ChatView, wordNumber: number): Locator {
  return chat.transcript
    .getByRole("article", { name: "test/words" })
    .last()
    .filter({ hasText: new RegExp(`\\bjuliett-${wordNumber}\\b`) });
}
