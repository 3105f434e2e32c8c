import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { errors } from "playwright-core";
import type { Frame, Locator } from "playwright-core";
import { askForWords, openWordWindow } from "../host/wordWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import type { WordServer, WordStream } from "../support/wordServer.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("A chat page that crashes while streaming", () => {
  let words: WordServer;
  let workbench: Workbench;
  openWordWindow({ extension: root, hasIsolatedPages: true }, (opened) => ({ words, workbench } = opened));

  it("is rebuilt when its process hangs, and shows the complete response", async () => {
    const stream = await ask("alpha");
    run("setTimeout(() => { for (;;); }, 0)");
    await assertHealed("alpha", stream);
  });

  it("is rebuilt when its document is gone", async () => {
    const stream = await ask("bravo");
    run("document.open(); document.write('gone')");
    await assertHealed("bravo", stream);
  });

  async function ask(name: string): Promise<WordStream> {
    const { chat, stream } = await askForWords({ words, workbench }, name);
    await chat.lastArticle.filter({ hasText: `${name}-5 ` }).waitFor();
    return stream;
  }

  /** A page that hangs never responds, so nothing is awaited. */
  function run(script: string): void {
    void innerFrame(workbench)
      .evaluate(script)
      .catch(() => undefined);
  }

  /** The process of the observed page may end in the meantime, in which case the next page is observed. */
  async function waitInNewPage(place: Locator): Promise<void> {
    for (;;) {
      try {
        return await place.waitFor();
      } catch (error) {
        if (error instanceof errors.TimeoutError || workbench.page.isClosed()) throw error;
      }
    }
  }

  async function assertHealed(name: string, stream: WordStream): Promise<void> {
    const diedAt = stream.wordCount;
    await stream.waitForWords(diedAt + 20);
    // The dead old page may still be visible. Only the new one can show what arrived after that.
    const article = workbench.chatView().lastArticle;
    await waitInNewPage(article.filter({ hasText: new RegExp(`\\b${name}-${diedAt + 20}\\b`) }));
    stream.finish();
    await workbench.chatView().waitUntilAnswered();
    await eventually(async () => {
      const text = (await article.textContent()) ?? "";
      const shown = [...text.matchAll(/\w+-(\d+)/g)].map(([, number]) => Number(number));
      assert.deepEqual(
        shown,
        Array.from({ length: stream.wordCount }, (_, index) => index + 1),
      );
      assert.equal(await workbench.editorTab(name).count(), 1);
    });
  }
});

function innerFrame(workbench: Workbench): Frame {
  const frame = workbench.page.frames().findLast((candidate) => candidate.url().includes("fake.html"));
  assert.ok(frame !== undefined, "There is no chat page.");
  return frame;
}
