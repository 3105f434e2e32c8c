import assert from "node:assert/strict";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { BuildOptions, Metafile } from "esbuild";
import { createPage, shared } from "../../../esbuild.js";
import type { ContentPart } from "../../../src/core/conversation/completion.ts";
import { give } from "../../support/giveFiles.ts";
import { eventually } from "../../support/eventually.ts";
import { drawImage } from "../support/attachedFiles.ts";
import { ChatPageDriver, createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testPage } from "../support/pageTests.ts";

/** Maximum size of everything that the chat page loads before it accepts keys, in minified bytes. */
const largestStart = 112_000;
/** Maximum size of everything that it loads before it shows messages. */
const largestWithMessages = 250_000;

async function bundle(name: string, entry: string): Promise<Metafile["outputs"]> {
  return { ...(await outputsOf(createPage(name, entry))), ...(await outputsOf(shared)) };
}

async function outputsOf(options: BuildOptions): Promise<Metafile["outputs"]> {
  const { metafile } = await build({
    ...options,
    absWorkingDir: fileURLToPath(new URL("../../..", import.meta.url)),
    minify: true,
    sourcemap: false,
    write: false,
    metafile: true,
  });
  return metafile?.outputs ?? {};
}

/** The outputs that are loaded with the entry: its own and its static imports. */
function loadedAtStart(outputs: Metafile["outputs"], file: string): readonly string[] {
  const imports = outputs[file]?.imports ?? [];
  const others = imports.filter(({ kind }) => kind === "import-statement");
  return [
    file,
    ...others.flatMap(({ path, external }) =>
      // What is shared with the host is beside the page's own files.
      loadedAtStart(outputs, external === true ? posix.join(posix.dirname(file), path) : path),
    ),
  ];
}

describe("The page bundles", () => {
  it("load at most 112 kB when the chat starts, all in the two files that its document names", async () => {
    const outputs = await bundle("chat", "src/webview/entries/chat.ts");
    const files = loadedAtStart(outputs, "dist/webview/chat.js");
    assert.deepEqual(files, ["dist/webview/chat.js", "dist/webview/chunk.js"]);
    const bytes = files.reduce((sum, file) => sum + (outputs[file]?.bytes ?? NaN), 0);
    assert.ok(bytes <= largestStart, `The chat page loads ${bytes} bytes.`);
  });

  it("load at most 250 kB until messages are shown", async () => {
    const outputs = await bundle("chat", "src/webview/entries/chat.ts");
    const files = loadedAtStart(outputs, "dist/webview/messageViews.js");
    const names = ["messageViews", "chunk", "markdown"];
    assert.deepEqual(new Set(files), new Set(names.map((name) => `dist/webview/${name}.js`)));
    const bytes = [...new Set(files)].reduce((sum, file) => sum + (outputs[file]?.bytes ?? NaN), 0);
    assert.ok(bytes <= largestWithMessages, `The chat page loads ${bytes} bytes.`);
  });

  it("contain no secret scanner in the server table", async () => {
    const outputs = await bundle("serverTable", "src/webview/entries/serverTable.ts");
    const found = Object.values(outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .filter(([path, { bytesInOutput }]) => path.includes("/account/secrets/") && bytesInOutput > 600);
    assert.deepEqual(found, []);
  });
});

describe("The start of the chat page", () => {
  const driver = new ChatPageDriver();
  testPage(driver, () => Promise.resolve());

  it("accepts keys before Markdown can be rendered, and then shows received messages in order", async () => {
    const { page } = driver;
    const release = await holdBack("messageViews.js");
    const loading = driver.open();
    await page.waitForFunction(() => globalThis.posted.some((message) => message.type === "ready"));
    const message = createMessage({ id: "a", text: "One", status: "streaming" });
    const delta = { messageId: "a", reasoningOffset: 0, reasoning: "" };
    await driver.send(
      { type: "snapshot", snapshot: createSnapshot({ messages: [message], isStreaming: true }) },
      { type: "delta", ...delta, textOffset: 3, text: " **two**" },
      { type: "title", title: "Named" },
    );
    await page.getByRole("textbox", { name: "Message" }).fill("Written meanwhile");
    await eventually(async () => assert.equal(await page.locator("article").count(), 0));
    release();
    await loading;
    await page.locator("article strong", { hasText: "two" }).waitFor();
    await eventually(async () =>
      assert.equal(await page.getByRole("textbox", { name: "Message" }).inputValue(), "Written meanwhile"),
    );
    await driver.takePosted();
  });

  it("shows named characters, and nothing after them earlier, while their table is loading", async () => {
    const { page } = driver;
    await driver.open();
    const release = await holdBack("namedCharacters.js");
    const delta = { messageId: "a", reasoningOffset: 0, reasoning: "" };
    const message = createMessage({ id: "a", text: "A", status: "streaming" });
    await driver.send(
      { type: "snapshot", snapshot: createSnapshot({ messages: [message], isStreaming: true }) },
      { type: "delta", ...delta, textOffset: 1, text: "&nb" },
      { type: "delta", ...delta, textOffset: 4, text: "sp;&copy; &notit; &CounterClockwiseContourIntegral;" },
    );
    await driver.frames();
    await eventually(async () =>
      assert.equal(await page.locator("article .markdown").last().textContent(), "A"),
    );
    release();
    await page.locator("article .markdown", { hasText: "A\u00a0© &notit; ∳" }).waitFor();
  });

  it("shows attachments, and nothing after them earlier, while the code that shows them is loading", async () => {
    const { page } = driver;
    await driver.open();
    const release = await holdBack("attachmentViews.js");
    const { data } = await drawImage(page, "cat.png", 40, 30);
    const image: ContentPart = { type: "image", mediaType: "image/png", data, title: "cat.png" };
    const attachments = [image, { type: "text", text: "One", title: "a.ts" } as const];
    const message = createMessage({ id: "a", role: "user", text: "Look", attachments });
    const draft = { text: "And this", attachments: [image] };
    await driver.send(
      { type: "snapshot", snapshot: createSnapshot({ messages: [message], draft }) },
      { type: "title", title: "Named" },
    );
    await page.getByRole("textbox", { name: "Message" }).fill("Written meanwhile");
    await driver.frames();
    await eventually(async () => {
      assert.equal(await page.locator("article").count(), 0);
      assert.notEqual(await page.title(), "Named");
    });
    release();
    await page.getByRole("log").getByRole("button", { name: "Enlarge cat.png, PNG, 40 × 30" }).waitFor();
    await page.locator(".tray").getByRole("button", { name: "Enlarge cat.png, PNG, 40 × 30" }).waitFor();
    await eventually(async () => {
      assert.equal(
        await page.getByRole("textbox", { name: "Message" }).inputValue(),
        "And this\nWritten meanwhile",
      );
      assert.equal(await page.title(), "Named");
    });
    await page.getByRole("log").getByRole("button", { name: "Show a.ts" }).click();
    await eventually(async () => assert.equal(await page.getByRole("dialog").count(), 1));
    await page.keyboard.press("Escape");
  });

  it("attaches each pasted file once, in order, while the code that reads them is loading", async () => {
    const { page } = driver;
    await driver.open();
    await driver.send({ type: "snapshot", snapshot: createSnapshot() });
    const release = await holdBack("attachmentViews.js");
    const box = page.getByRole("textbox", { name: "Message" });
    for (const name of ["one.png", "two.png"])
      await give(box, "paste", [await drawImage(page, name, 40, 30)]);
    await box.fill("Look");
    await box.press("Enter");
    release();
    const names = page.locator(".tray .attachment-name");
    await names.nth(1).waitFor();
    await eventually(async () => assert.deepEqual(await names.allTextContents(), ["one.png", "two.png"]));
    const posted = await driver.takePosted();
    assert.deepEqual(
      posted.filter(({ type }) => type === "send"),
      [],
    );
    await eventually(async () => assert.equal(await box.inputValue(), "Look"));
  });

  it("keeps what is typed after the shortcut while the find bar is loading", async () => {
    const { page } = driver;
    await driver.open();
    const message = createMessage({ id: "a", text: "One two three" });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [message] }) });
    const release = await holdBack("findBar.js");
    await page.getByRole("textbox", { name: "Message" }).focus();
    await page.keyboard.press("Control+f");
    await page.keyboard.type("twx");
    await page.keyboard.press("Backspace");
    release();
    const input = page.getByRole("textbox", { name: "Find in Conversation" });
    await input.waitFor();
    await page.keyboard.type("o");
    await eventually(async () => {
      assert.equal(await input.inputValue(), "two");
      assert.equal(await page.getByRole("textbox", { name: "Message" }).inputValue(), "");
    });
    await page.locator(".find-count", { hasText: "1 of 1 results" }).waitFor();
  });

  it("doesn't open the find bar if Escape is pressed while it is loading", async () => {
    const { page } = driver;
    await driver.open();
    const release = await holdBack("findBar.js");
    await page.getByRole("textbox", { name: "Message" }).focus();
    await page.keyboard.press("Control+f");
    await page.keyboard.press("Escape");
    release();
    await page.locator(".find-bar").waitFor({ state: "attached" });
    await page.keyboard.type("two");
    await eventually(async () => {
      assert.equal(await page.locator(".find-bar").isVisible(), false);
      assert.equal(await page.getByRole("textbox", { name: "Message" }).inputValue(), "two");
    });
  });

  /** Holds back one of the page's files until the returned function is called. */
  async function holdBack(file: string): Promise<() => void> {
    let release: () => void = () => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await driver.page.route(`**/${file}`, async (route) => {
      await isReleased;
      await route.continue();
    });
    return release;
  }
});
