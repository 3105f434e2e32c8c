import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ChatView } from "../host/chatView.ts";
import { findExtensionHost } from "../host/extensionHostProcess.ts";
import { filesBelow } from "../host/secretHunt.ts";
import type { TestWindow } from "../host/testWindow.ts";
import { askForWords, openWordWindow } from "../host/wordWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import type { WordServer, WordStream } from "../support/wordServer.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("The queue of a chat", () => {
  let words: WordServer;
  let window: TestWindow;
  let workbench: Workbench;
  openWordWindow(
    {
      server: {
        settings: { "inferenceGateway.chat.generateTitles": false },
        // VS Code restarts the extension host only for installed extensions, not for those under development.
        extensions: [root],
      },
    },
    (opened) => ({ words, window, workbench } = opened),
  );

  const queue = (chat: ChatView) => chat.frame.getByRole("region", { name: "Queued messages" });
  const queued = (chat: ChatView) => queue(chat).getByRole("listitem");

  async function ask(name: string): Promise<ChatView> {
    const { chat } = await askForWords({ words, workbench }, name);
    await chat.articles.nth(1).getByText(`${name}-3`).waitFor();
    return chat;
  }

  /** The response to this message. Fails with its name if it isn't requested. */
  async function requested(name: string): Promise<WordStream> {
    const timeout = new AbortController();
    const late = sleep(90_000, undefined, { signal: timeout.signal }).then(() =>
      assert.fail(`“${name}” wasn't requested.`),
    );
    const stream = await Promise.race([words.waitForStream(name), late]);
    timeout.abort();
    // A response without text counts as failed.
    await stream.waitForWords(3);
    late.catch(() => undefined);
    return stream;
  }

  it("sends what was written in the meantime, in order, and Stop and Send goes first", async () => {
    const chat = await ask("alpha");
    for (const text of ["bravo", "charlie"]) {
      await chat.messageBox.fill(text);
      await chat.messageBox.press("Enter");
    }
    await queued(chat).nth(1).waitFor();
    await chat.messageBox.fill("delta");
    await chat.messageBox.press("Alt+Enter");
    const delta = await requested("delta");
    assert.equal(words.streams("bravo").length, 0);
    await eventually(async () => assert.equal(await queued(chat).count(), 2));
    delta.finish();
    (await requested("bravo")).finish();
    const charlie = await requested("charlie");
    await queue(chat).waitFor({ state: "hidden" });
    charlie.finish();
    await chat.waitUntilAnswered();
  });

  it("survives a killed extension host, and is held until the user sends it", async () => {
    const chat = await ask("echo");
    await chat.messageBox.fill("foxtrot");
    await chat.messageBox.press("Enter");
    await queued(chat).first().waitFor();
    await chat.messageBox.fill("half a thought");
    // Drafts and queues reach the disk a moment later.
    const storage = join(window.server.dataFolder, "data/User/globalStorage");
    await eventually(() => {
      const places = filesBelow(storage);
      for (const text of ["foxtrot", "half a thought"]) {
        assert.ok(
          places.some((place) => place.text.includes(text)),
          `“${text}” isn't on disk.`,
        );
      }
    });
    process.kill(await findExtensionHost(window.server), "SIGKILL");
    await (await words.waitForStream("echo")).waitUntilLeft();
    await workbench.reload();
    await workbench.runCommand("Inference Gateway: Open Conversation…");
    await workbench.quickInput.pickRow(workbench.quickInput.rows.filter({ hasText: "echo" }).first());
    const again = workbench.chatView();
    await queued(again).getByText("foxtrot").waitFor();
    await eventually(async () => assert.equal(await again.messageBox.inputValue(), "half a thought"));
    assert.equal(words.streams("foxtrot").length, 0);
    await queue(again).getByRole("button", { name: "Send Next" }).click();
    (await requested("foxtrot")).finish();
    await queue(again).waitFor({ state: "hidden" });
    await again.waitUntilAnswered();
    assert.equal(words.streams("foxtrot").length, 1);
  });

  it("marks a hidden chat when its response is complete, until it is seen", async () => {
    const chat = await ask("golf");
    await workbench.runCommand("File: New Untitled Text File");
    await chat.transcript.waitFor({ state: "hidden" });
    // The window shows this before the extension learns of it, which it does before it runs a later command.
    await workbench.runCommand("Inference Gateway: Open Conversation…");
    await workbench.quickInput.rows.filter({ hasText: "golf" }).first().waitFor();
    await workbench.quickInput.dismiss();
    (await words.waitForStream("golf")).finish();
    await workbench.editorTab("✓ golf").waitFor();
    await workbench.editorTab("✓ golf").click();
    await workbench.editorTab("✓ golf").waitFor({ state: "detached" });
  });
});
