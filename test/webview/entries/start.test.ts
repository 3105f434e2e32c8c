import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Metafile } from "esbuild";
import { createPage } from "../../../esbuild.js";
import { ChatPageDriver, createMessage, createSnapshot } from "../support/chatPageDriver.ts";

/** Maximum size of everything that the chat page loads before it accepts keys, in minified bytes. */
const largestStart = 240_000;

async function bundle(name: string, entry: string): Promise<Metafile["outputs"]> {
  const { metafile } = await build({
    ...createPage(name, entry),
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
  return [file, ...others.flatMap(({ path }) => loadedAtStart(outputs, path))];
}

describe("The page bundles", () => {
  it("load at most 240 kB when the chat starts, all in the two files that its document names", async () => {
    const outputs = await bundle("chat", "src/webview/entries/chat.ts");
    const files = loadedAtStart(outputs, "dist/webview/chat.js");
    assert.deepEqual(files, ["dist/webview/chat.js", "dist/webview/chunk.js"]);
    const bytes = files.reduce((sum, file) => sum + (outputs[file]?.bytes ?? NaN), 0);
    assert.ok(bytes <= largestStart, `The chat page loads ${bytes} bytes.`);
  });

  it("contain no secret scanner in the server table", async () => {
    const outputs = await bundle("serverTable", "src/webview/entries/serverTable.ts");
    const found = Object.values(outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .filter(([path, { bytesInOutput }]) => path.includes("/account/secrets/") && bytesInOutput > 300);
    assert.deepEqual(found, []);
  });
});

describe("The start of the chat page", () => {
  let driver: ChatPageDriver;
  before(async () => {
    driver = await ChatPageDriver.start();
  });
  after(() => driver.close());

  it("accepts keys before Markdown can be rendered, and then shows received messages in order", async () => {
    const { page } = driver;
    let release: () => void = () => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/markdownStream\.js$/, async (route) => {
      await isReleased;
      await route.continue();
    });
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
    assert.equal(await page.locator("article").count(), 0);
    release();
    await loading;
    await page.unroute(/\/markdownStream\.js$/);
    await page.locator("article strong", { hasText: "two" }).waitFor();
    assert.equal(await page.getByRole("textbox", { name: "Message" }).inputValue(), "Written meanwhile");
    await driver.takePosted();
  });
});
