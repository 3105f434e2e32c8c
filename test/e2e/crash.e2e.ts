import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { findExtensionHost } from "../host/extensionHostProcess.ts";
import type { ChatView } from "../host/chatView.ts";
import type { TestWindow } from "../host/testWindow.ts";
import { askForWords, openWordWindow } from "../host/wordWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import type { WordServer, WordStream } from "../support/wordServer.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Milliseconds of recent data that may be lost when the process is killed. */
const lossMs = 300;

describe("A streaming response", () => {
  let words: WordServer;
  let window: TestWindow;
  let workbench: Workbench;
  openWordWindow(
    {
      server: {
        // The request for a title would use the connection that is kept for the next turn.
        settings: { "inferenceGateway.chat.generateTitles": false },
        // VS Code restarts the extension host only for installed extensions, not for those under development.
        extensions: [root],
      },
    },
    (opened) => ({ words, window, workbench } = opened),
  );

  const ask = (name: string) => askForWords({ words, workbench }, name);

  it("continues without a gap while its page is hidden and after it is shown again", async () => {
    const { chat, stream } = await ask("alpha");
    await answer(chat, "alpha", 5).waitFor();
    await workbench.runCommand("File: New Untitled Text File");
    await chat.transcript.waitFor({ state: "hidden" });
    await stream.waitForWords(stream.wordCount + 20);
    await workbench.editorTab("alpha").click();
    await answer(chat, "alpha", stream.wordCount).waitFor();
    await assertWholeOnceFinished(chat, "alpha", stream);
  });

  it("continues in another editor group", async () => {
    const { chat, stream } = await ask("bravo");
    await workbench.runCommand("File: New Untitled Text File");
    await workbench.editorTab("bravo").click();
    await answer(chat, "bravo", 5).waitFor();
    await workbench.runCommand("View: Move Editor into Next Group");
    await workbench.page
      .locator(".editor-group-container")
      .nth(1)
      .getByRole("tab", { name: "bravo" })
      .waitFor();
    await answer(chat, "bravo", stream.wordCount + 5).waitFor();
    await assertWholeOnceFinished(chat, "bravo", stream);
    assert.equal(words.streams("bravo").length, 1);
  });

  it("doesn't mix with the response in another panel", async () => {
    const left = await ask("charlie");
    await workbench.runCommand("Inference Gateway: New Chat");
    // Otherwise, the only editor would be moved, and its group closed.
    await workbench.page.locator(".tab.active").getByText("New Chat", { exact: true }).waitFor();
    await workbench.runCommand("View: Move Editor into Next Group");
    // Pages are counted in the order in which they are shown, which is only stable once the move has finished.
    await workbench.page
      .locator(".editor-group-container")
      .nth(1)
      .getByRole("tab", { name: "New Chat" })
      .waitFor();
    await answer(await chatAbout("charlie"), "charlie", 5).waitFor();
    const right = await chatAbout(undefined);
    await right.send("delta");
    const stream = await words.waitForStream("delta");
    await stream.waitForWords(20);
    const chats = { charlie: await chatAbout("charlie"), delta: await chatAbout("delta") };
    await assertWholeOnceFinished(chats.delta, "delta", stream);
    await assertWholeOnceFinished(chats.charlie, "charlie", left.stream);
  });

  it("closes the socket immediately when it is stopped", async () => {
    const { chat, stream } = await ask("echo");
    await answer(chat, "echo", 5).waitFor();
    await chat.stopButton.click();
    await stream.waitUntilLeft();
    await chat.waitUntilAnswered();
    const shown = await shownWords(chat, "echo");
    assertNumbered(shown);
    assert.ok(shown.length <= stream.wordCount && shown.length >= 5);
  });

  it("keeps its connection open for the next turn", async () => {
    const { chat, stream } = await ask("foxtrot");
    // A response without text counts as failed.
    await stream.waitForWords(3);
    stream.finish();
    await chat.waitUntilAnswered();
    await chat.send("golf");
    const next = await words.waitForStream("golf");
    await next.waitForWords(3);
    next.finish();
    await chat.waitUntilAnswered();
    assert.equal(next.remotePort, stream.remotePort);
  });

  it("keeps the partial response after a window reload, marked as truncated", async () => {
    const { chat, stream } = await ask("hotel");
    await answer(chat, "hotel", 20).waitFor();
    const begin = performance.now();
    await workbench.reload();
    await assertCut(chat, "hotel", stream.wordsBefore(begin, lossMs));
    await stream.waitUntilLeft();
    assert.ok(stream.leftAt !== undefined, "The response has ended by itself.");
  });

  it("keeps the partial response when the extension host is killed, and can be regenerated", async () => {
    const { chat, stream } = await ask("india");
    await answer(chat, "india", 20).waitFor();
    const host = await findExtensionHost(window.server);
    // On a busy machine, some words may have been sent but not have arrived, so only the words that are shown count.
    const { wordCount } = stream;
    await answer(chat, "india", wordCount).waitFor();
    await sleep(lossMs);
    process.kill(host, "SIGKILL");
    await stream.waitUntilLeft();
    await workbench.reload();
    // VS Code closes the pages of an extension host that dies. The conversation can still be opened from the list.
    await workbench.runCommand("Inference Gateway: Open Conversation…");
    await workbench.quickInput.pickRow(workbench.quickInput.rows.filter({ hasText: "india" }).first());
    await assertCut(chat, "india", wordCount);
    await chat.frame.getByRole("button", { name: "Retry" }).click();
    const again = await words.waitForStream("india", 1);
    await again.waitForWords(5);
    again.finish();
    await chat.waitUntilAnswered();
    await eventually(async () => assert.equal((await shownWords(chat, "india")).length, again.wordCount));
  });

  /** The chat that starts with this message, wherever it is; undefined finds the chat in which nothing is streaming. */
  async function chatAbout(message: string | undefined): Promise<ChatView> {
    const candidates = [0, 1].map((index) => workbench.chatView(index));
    return Promise.any(
      candidates.map(async (chat) => {
        if (message !== undefined) await chat.articles.first().filter({ hasText: message }).waitFor();
        else await chat.sendButton.waitFor();
        return chat;
      }),
    );
  }
});

/** The last response, once it has reached this word. */
function answer(chat: ChatView, name: string, wordNumber: number): Locator {
  return chat.transcript
    .getByRole("article", { name: "test/words" })
    .last()
    .filter({ hasText: new RegExp(`\\b${name}-${wordNumber}\\b`) });
}

async function shownWords(chat: ChatView, name: string): Promise<readonly number[]> {
  const text = await chat.transcript.getByRole("article", { name: "test/words" }).last().textContent();
  return [...(text ?? "").matchAll(/(\w+)-(\d+)/g)].map(([word, shownName, number]) => {
    assert.equal(shownName, name, `“${word}” belongs to another answer.`);
    return Number(number);
  });
}

/** No word is missing, duplicated or out of order. */
function assertNumbered(numbers: readonly number[]): void {
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
  );
}

async function assertWholeOnceFinished(chat: ChatView, name: string, stream: WordStream): Promise<void> {
  stream.finish();
  await chat.waitUntilAnswered();
  await eventually(async () => {
    const shown = await shownWords(chat, name);
    assertNumbered(shown);
    assert.equal(shown.length, stream.wordCount);
  });
}

async function assertCut(chat: ChatView, name: string, wordCount: number): Promise<void> {
  await chat.frame.getByRole("button", { name: "Retry" }).waitFor();
  await eventually(async () => {
    const shown = await shownWords(chat, name);
    assertNumbered(shown);
    assert.ok(shown.length >= wordCount, `${shown.length} words are left of ${wordCount}.`);
  });
}
