import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { strFromU8, unzipSync } from "fflate";
import { loadedWith } from "../bench/activation/loadedAtActivation.ts";
import { installVsix } from "../host/installVsix.ts";
import { TestWindow } from "../host/testWindow.ts";
import { packageExtension } from "../package/packageExtension.ts";
import type { Package } from "../package/packageExtension.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("The packaged extension in a clean VS Code", () => {
  const folder = mkdtempSync(join(tmpdir(), "packaged-"));
  let packaged: Package;
  let window: TestWindow | undefined;

  after(() => window?.close());

  afterEach(async function () {
    await window?.reportFailure(this.currentTest);
  });

  it("contains only what it runs, in at most 1.21 MB without diagrams", async () => {
    packaged = await packageExtension(root, join(folder, "extension.vsix"));
    assert.ok(packaged.contents.includes("dist/extension.cjs"));
    assert.ok(packaged.contents.includes("dist/webview/chat.js"));
  });

  it("loads less than 60 kB of code when it is activated", () => {
    const { bytes, files } = loadedWith(join(root, "dist/extension.cjs"));
    assert.equal(files.length, 1, "What is loaded on demand must not be loaded at the start.");
    assert.ok(bytes > 20_000);
    assert.ok(bytes < 60_000, `${bytes} bytes in ${files.join(", ")}`);
  });

  it("lists the license of everything that it bundles, including fonts and icons", () => {
    const files = unzipSync(readFileSync(packaged.file));
    const notices = strFromU8(files["extension/dist/ThirdPartyNotices.txt"] ?? new Uint8Array());
    const some = ["undici", "markdown-it", "katex", "@vscode/codicons", "mermaid", "d3-shape", "entities"];
    for (const name of some) {
      assert.match(notices, new RegExp(`^${name} \\d`, "m"), name);
    }
  });

  it("refers to the images of the README by repository URLs", () => {
    const files = unzipSync(readFileSync(packaged.file));
    const readme = strFromU8(files["extension/readme.md"] ?? new Uint8Array());
    assert.match(readme, /!\[[^\]]+\]\(https:\/\//);
    assert.doesNotMatch(readme, /\]\((?!https:|#)/);
  });

  it("is byte-for-byte identical when packaged again", async () => {
    const again = await packageExtension(root, join(folder, "again.vsix"));
    assert.ok(readFileSync(packaged.file).equals(readFileSync(again.file)));
  });

  it("can be installed like any other extension", async () => {
    assert.deepEqual(await installVsix(packaged.file, folder), ["inference-gateway.inference-gateway"]);
  });

  it("shows a welcome view if nothing is set up", async () => {
    window = await TestWindow.open({ server: { kind: "whole", dataFolder: folder } });
    const { workbench } = window;
    await workbench.openContainer("Inference Gateway");
    await workbench.page.locator(".pane .welcome-view-content").getByRole("button").first().waitFor();
  });

  it("chats and lists servers once the local gateway is running", async () => {
    assert.ok(window);
    const { workbench } = window;
    await workbench.runCommand("Inference Gateway: Start Local Gateway");
    await workbench.treeRows("GPU Servers").first().waitFor();
    await workbench.runCommand("Inference Gateway: New Chat");
    const chat = workbench.chatView();
    await chat.send("Hello there");
    await chat.lastArticle.getByText("It shows what a response can contain").waitFor();
    await chat.waitUntilAnswered();
  });
});
