import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ZipReader } from "../../src/processes/library/zip.ts";
import { installVsix } from "../host/installVsix.ts";
import { TestWindow } from "../host/testWindow.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** In bytes. Nearly half of it draws diagrams. */
const largestPackage = 2_500_000;
/** Sources, tests, source maps, dependencies and dotfiles, none of which are needed at run time. */
const unwanted = /(^|\/)(src|test|out|node_modules|screenshots|\.[^/]+)\/|(^|\/)\.|\.(ts|mjs|map|vsix)$/;

describe("The packaged extension in a clean VS Code", () => {
  const folder = mkdtempSync(join(tmpdir(), "packaged-"));
  const vsix = join(folder, "extension.vsix");
  let files: Readonly<Record<string, Buffer>> = {};
  let window: TestWindow | undefined;

  after(() => window?.close());

  afterEach(async function () {
    await window?.reportFailure(this.currentTest);
  });

  it("contains only what it runs, in at most 2.3 MB", () => {
    const packager = join(root, "node_modules/@vscode/vsce/vsce");
    execFileSync(process.execPath, [packager, "package", "--no-dependencies", "--out", vsix], { cwd: root });
    const archive = new ZipReader(vsix);
    files = Object.fromEntries(archive.entries.map((entry) => [entry.name, archive.read(entry)]));
    archive.close();
    const names = Object.keys(files);
    for (const name of [
      ...["dist/extension.cjs", "dist/webview/chat.js", "media/l10n/bundle.l10n.zh-cn.json"],
      ...["media/docs/jobs.md", "media/docs/jobs.nls.zh-cn.md", "media/server-actions.example.json"],
    ])
      assert.ok(names.includes(`extension/${name}`), name);
    assert.deepEqual(
      names.filter((name) => unwanted.test(name)),
      [],
    );
    const { size } = statSync(vsix);
    assert.ok(size <= largestPackage, `${size} bytes`);
  });

  it("loads less than 60 kB of code when it is activated", () => {
    const bytes = files["extension/dist/extension.cjs"]?.length ?? NaN;
    assert.ok(bytes > 20_000 && bytes < 60_000, `${bytes} bytes`);
  });

  it("parses messages of pages neither in the pages nor in what is loaded when it is activated", () => {
    const withParser = Object.keys(files).filter(
      (name) => /js$/.test(name) && files[name]?.includes("abortPipeEarly") === true,
    );
    assert.deepEqual(withParser, ["extension/dist/rest.cjs"]);
  });

  it("lists the license of everything that it bundles, including fonts and icons", () => {
    const notices = String(files["extension/dist/ThirdPartyNotices.txt"]);
    const some = ["undici", "markdown-it", "katex", "@vscode/codicons", "mermaid", "d3-shape", "entities"];
    for (const name of some) {
      assert.match(notices, new RegExp(`^${name} \\d`, "m"), name);
    }
    // Others have built these into their own files.
    for (const name of ["langium", "chevrotain", "vscode-jsonrpc", "hachure-fill"])
      assert.match(notices, new RegExp(`^${name} \\d`, "m"), name);
    // Neither has a file with its license.
    assert.match(notices, /^fastdom [\d.]+\n\n.*MIT License.*\n\nCopyright \(c\) 2016/m);
    assert.match(
      notices,
      /^@vscode\/l10n [\d.]+\n(?:.+\n)*\nCopyright \(c\) .*\n\nPermission is hereby granted/m,
    );
  });

  it("refers to the images of the README by repository URLs", () => {
    const readme = String(files["extension/readme.md"]);
    assert.match(readme, /!\[[^\]]+\]\(https:\/\//);
    assert.doesNotMatch(readme, /\]\((?!https:|#)/);
  });

  it("can be installed like any other extension", async () => {
    assert.deepEqual(await installVsix(vsix, folder), ["inference-gateway.inference-gateway"]);
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
    await chat.lastArticle.getByText("isn't a language model").first().waitFor();
    await chat.waitUntilAnswered();
  });
});
