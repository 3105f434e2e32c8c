import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { TestWindow } from "../host/testWindow.ts";
import { readTexts } from "../l10n/support/readTexts.ts";
import { startWordServer } from "../support/wordServer.ts";
import type { WordServer } from "../support/wordServer.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What a user sees first, in each language. */
const languages = [
  {
    language: "zh-cn",
    newChat: "新建聊天",
    view: "对话",
    message: "消息",
    send: "发送",
    copy: "复制回答",
  },
];

describe("In another display language", () => {
  let words: WordServer;
  let window: TestWindow | undefined;

  before(async () => {
    words = await startWordServer();
  });

  afterEach(async function () {
    await window?.reportFailure(this.currentTest);
    await window?.close();
  });

  after(async () => {
    await words.close();
  });

  for (const { language, newChat, view, message, send, copy } of languages) {
    it(`the palette, views, page and responses use ${language}`, async () => {
      const profile = { name: "Words", inferenceBaseUrl: words.inferenceBaseUrl };
      window = await TestWindow.open({
        server: { settings: { "inferenceGateway.profiles": [profile] } },
        extension: root,
        language,
      });
      const { workbench } = window;
      await workbench.runCommand(`Inference Gateway: ${newChat}`);
      const { frame, transcript } = workbench.chatView();
      const box = frame.getByRole("textbox", { name: message, exact: true });
      await eventually(async () =>
        assert.equal(await box.evaluate((element) => element.ownerDocument.documentElement.lang), language),
      );
      await box.fill(language);
      await frame.getByRole("button", { name: send, exact: true }).click();
      const stream = await words.waitForStream(language);
      // A response without text counts as failed.
      await stream.waitForWords(3);
      stream.finish();
      await transcript.getByRole("button", { name: copy }).waitFor();
      await workbench.openContainer("Inference Gateway");
      await workbench.page.locator(".pane-header").filter({ hasText: view }).waitFor();

      // The menu's title is VS Code's translation of the manifest, its prompt one of the extension's own.
      const menu = readTexts(`package.nls.${language}.json`)["command.showMenu"];
      const prompt = readTexts(`media/l10n/bundle.l10n.${language}.json`)[
        "Select an action for this profile"
      ];
      assert.ok(menu !== undefined && prompt !== undefined);
      await workbench.runCommand(`Inference Gateway: ${menu}`);
      await workbench.page.locator(".quick-input-widget").getByPlaceholder(prompt).waitFor();
    });
  }
});
