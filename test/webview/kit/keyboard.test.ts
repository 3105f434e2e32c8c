import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import type { Locator } from "playwright-core";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

describe("The chat page with the keyboard", function () {
  const driver = testChatPage({
    prepare: async (): Promise<void> => {
      await driver.send({
        type: "snapshot",
        snapshot: createSnapshot({
          messages: [
            createMessage({ id: "q1", role: "user", text: "First question" }),
            createMessage({ id: "a1", text: "```ts\none()\n```\n\nand\n\n```ts\ntwo()\n```" }),
            createMessage({ id: "q2", role: "user", text: "Second question" }),
            createMessage({ id: "a2", text: "```ts\nthree()\n```" }),
          ],
        }),
      });
      await driver.frames();
      await driver.page.getByRole("log").focus();
    },
  });

  const press = (key: string): Promise<void> => driver.page.keyboard.press(key);

  /** The focused message or code block. */
  const focused = (): Promise<string> =>
    driver.page.evaluate(() => {
      const active = document.activeElement;
      return active instanceof HTMLElement
        ? (active.dataset["messageId"] ??
            active.querySelector("code")?.textContent?.trim() ??
            active.className)
        : "";
    });

  const hasFocus = (locator: Locator): Promise<boolean> =>
    locator.evaluate((element) => element === document.activeElement);

  it("accepts the focus from the host only once VS Code has focused the page", async () => {
    const box = driver.page.getByRole("textbox", { name: "Message" });
    const hasBoxFocus = (): Promise<boolean> => box.evaluate((element) => element === document.activeElement);
    await driver.page.evaluate(() => {
      document.hasFocus = () => false;
    });
    await driver.send({ type: "focus" });
    await driver.frames();
    await eventually(async () => assert.equal(await hasBoxFocus(), false));
    await driver.page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await eventually(async () => assert.equal(await hasBoxFocus(), true));
    await driver.page.getByRole("log").focus();
    await driver.page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await eventually(async () => assert.equal(await hasBoxFocus(), false));
  });

  it("moves between turns with Up, Down, Home and End", async () => {
    await press("ArrowDown");
    await eventually(async () => assert.equal(await focused(), "q1"));
    await press("ArrowDown");
    await eventually(async () => assert.equal(await focused(), "a1"));
    await press("End");
    await eventually(async () => assert.equal(await focused(), "a2"));
    await press("ArrowUp");
    await eventually(async () => assert.equal(await focused(), "q2"));
    await press("Home");
    await eventually(async () => assert.equal(await focused(), "q1"));
  });

  it("moves between code blocks with Alt and the arrow keys, across turns", async () => {
    await press("Alt+ArrowDown");
    await eventually(async () => assert.equal(await focused(), "one()"));
    await press("Alt+ArrowDown");
    await eventually(async () => assert.equal(await focused(), "two()"));
    await press("Alt+ArrowDown");
    await eventually(async () => assert.equal(await focused(), "three()"));
    await press("Alt+ArrowUp");
    await eventually(async () => assert.equal(await focused(), "two()"));
  });

  it("jumps between the user's messages with Ctrl and the arrow keys", async () => {
    await press("End");
    await press("Control+ArrowUp");
    await eventually(async () => assert.equal(await focused(), "q2"));
    await press("Control+ArrowUp");
    await eventually(async () => assert.equal(await focused(), "q1"));
  });

  it("returns to the composer with Escape, and edits the last message with Up there", async () => {
    await press("Escape");
    await eventually(async () =>
      assert.equal(await driver.page.evaluate(() => document.activeElement?.tagName), "TEXTAREA"),
    );
    await press("ArrowUp");
    const editor = driver.page.getByRole("textbox", { name: "Edit Message" });
    await eventually(async () => assert.equal(await editor.inputValue(), "Second question"));
  });

  it("returns the focus to the composer when an edit is canceled", async () => {
    await press("Escape");
    await press("ArrowUp");
    await driver.page.getByRole("textbox", { name: "Edit Message" }).press("Escape");
    const composer = driver.page.getByRole("textbox", { name: "Message", exact: true });
    await eventually(async () =>
      assert.ok(await composer.evaluate((element) => element === document.activeElement)),
    );
  });

  it("doesn't handle Up if the composer contains text", async () => {
    await press("Escape");
    await driver.page.keyboard.type("text");
    await press("ArrowUp");
    await eventually(async () =>
      assert.equal(await driver.page.getByRole("textbox", { name: "Edit Message" }).count(), 0),
    );
  });

  it("sends only with Ctrl+Enter if so configured, and indicates that", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ conversationId: "other" }) });
    await driver.send({
      type: "behavior",
      behavior: { sendWith: "ctrlEnter", announce: "off" },
    });
    const composer = driver.page.getByRole("textbox", { name: "Message" });
    await composer.fill("Hello");
    await driver.takePosted();
    await composer.press("Enter");
    await eventually(async () => assert.equal(await composer.inputValue(), "Hello\n"));
    await driver.page.getByText("Ctrl+Enter").waitFor();
    await composer.press("Control+Enter");
    assert.ok((await driver.takePosted()).some(({ type }) => type === "send"));
  });

  it("sends an edited message with the same key", async () => {
    await driver.send({
      type: "behavior",
      behavior: { sendWith: "ctrlEnter", announce: "off" },
    });
    await press("Escape");
    await press("ArrowUp");
    const editor = driver.page.getByRole("textbox", { name: "Edit Message" });
    await editor.press("Enter");
    await eventually(async () => assert.equal(await editor.inputValue(), "Second question\n"));
    await driver.takePosted();
    await editor.press("Control+Enter");
    assert.ok((await driver.takePosted()).some(({ type }) => type === "edit"));
  });

  it("leaves Enter and Escape to an input method that is composing", async () => {
    await press("Escape");
    await press("ArrowUp");
    const editor = driver.page.getByRole("textbox", { name: "Edit Message" });
    const composer = driver.page.getByRole("textbox", { name: "Message", exact: true });
    await composer.fill("日本");
    await driver.takePosted();
    for (const box of [editor, composer]) {
      for (const key of ["Enter", "Escape"]) {
        await box.dispatchEvent("keydown", { key, isComposing: true, bubbles: true, cancelable: true });
      }
    }
    await eventually(async () => assert.equal(await editor.inputValue(), "Second question"));
    assert.deepEqual(
      (await driver.takePosted()).filter(({ type }) => type === "send" || type === "edit"),
      [],
    );
  });

  it("moves from the composer to the last turn with Ctrl+Up, and back from the user's last message with Ctrl+Down", async () => {
    const composer = driver.page.getByRole("textbox", { name: "Message", exact: true });
    await composer.fill("A draft");
    await composer.press("Control+ArrowUp");
    await eventually(async () => assert.equal(await focused(), "a2"));
    await press("Control+ArrowUp");
    await eventually(async () => assert.equal(await focused(), "q2"));
    await press("Control+ArrowDown");
    await eventually(async () => {
      assert.ok(await hasFocus(composer));
      assert.equal(await composer.inputValue(), "A draft");
    });
  });

  it("moves through the actions of a message, a single tab stop, with the arrow keys", async () => {
    const label = (): Promise<string | null> =>
      driver.page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? null);
    const stops: (string | null)[] = [];
    await press("End");
    for (let tab = 0; tab < 4; tab++) {
      await press("Tab");
      stops.push(await label());
    }
    // The actions of the code block, the code and the actions of the response, then the composer.
    assert.deepEqual(stops, ["Copy ts Code", null, "Copy Response", "Message"]);
    await press("Shift+Tab");
    await press("ArrowRight");
    await eventually(async () => assert.equal(await label(), "Regenerate"));
    await press("End");
    const last = await label();
    await press("ArrowRight");
    await eventually(async () => assert.equal(await label(), "Copy Response"));
    await press("ArrowLeft");
    await eventually(async () => assert.equal(await label(), last));
    await press("Tab");
    await press("Shift+Tab");
    await eventually(async () => {
      assert.equal(await label(), "Copy Response");
      assert.equal(
        await driver.page.locator("[role=toolbar]:not(:has(button:not([tabindex='-1'])))").count(),
        0,
      );
    });
  });

  it("stops a response when Escape is pressed twice, but first closes anything that is open", async () => {
    const stops = async (): Promise<number> =>
      (await driver.takePosted()).filter(({ type }) => type === "stop").length;
    const composer = driver.page.getByRole("textbox", { name: "Message", exact: true });
    await composer.focus();
    await press("Escape");
    assert.equal(await stops(), 0);
    await driver.send({ type: "streaming", isStreaming: true });
    await driver.page.getByRole("log").focus();
    await press("Escape");
    assert.equal(await stops(), 0);
    await eventually(async () => assert.ok(await hasFocus(composer)));
    await composer.press("#");
    await press("Escape");
    assert.equal(await stops(), 0);
    const hint = driver.page.getByText("Press Escape again to stop the response.");
    await press("Escape");
    await hint.waitFor();
    await composer.press("x");
    await hint.waitFor({ state: "hidden" });
    await press("Escape");
    assert.equal(await stops(), 0);
    await press("Escape");
    assert.equal(await stops(), 1);
    assert.equal(await hint.isVisible(), false);
    await driver.page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    });
    await press("Escape");
    await press("Escape");
    assert.equal(await stops(), 1);
  });

  it("keeps keys that are typed outside a text field, as soon as the page exists", async () => {
    const composer = driver.page.getByRole("textbox", { name: "Message", exact: true });
    await press("End");
    await driver.page.keyboard.type("Not lost");
    await eventually(async () => assert.equal(await composer.inputValue(), "Not lost"));
    await composer.fill("");
    await driver.page.getByRole("button", { name: "Copy ts Code" }).last().focus();
    await driver.page.keyboard.type("x y");
    await eventually(async () => assert.equal(await composer.inputValue(), "x y"));
    await driver.open();
    await driver.page.keyboard.type("Before the snapshot");
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ draft: { text: "Kept.", attachments: [] } }),
    });
    await eventually(async () => assert.equal(await composer.inputValue(), "Kept.\nBefore the snapshot"));
  });

  it("keeps keys typed before the page's own script has loaded, with corrections, at the start of the draft", async () => {
    const { page } = driver;
    let release: () => void = () => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/chat\.js$/, async (route) => {
      await isReleased;
      await route.continue();
    });
    const loading = driver.open();
    await page.waitForFunction(() => "takeEarlyKeys" in globalThis);
    await page.keyboard.type("Why is tge");
    for (const key of ["Backspace", "Backspace", "Shift", "Control+k", "F2"]) await press(key);
    await page.keyboard.type("he sky so blue?");
    release();
    await loading;
    await page.keyboard.type("!");
    await driver.send({ type: "snapshot", snapshot: createSnapshot() });
    await page.keyboard.type("!");
    await eventually(async () =>
      assert.equal(
        await page.getByRole("textbox", { name: "Message" }).inputValue(),
        "Why is the sky so blue?!!",
      ),
    );
    assert.equal(await page.evaluate(() => "takeEarlyKeys" in globalThis), false);
  });

  it("hides what isn't set, and the toolbar of a narrow page, behind one button, whose menu closes with Escape or a selection", async () => {
    const more = driver.page.getByRole("button", { name: "More actions" });
    const attach = driver.page.getByRole("button", { name: /^Attach files/ });
    const settings = driver.page.getByRole("button", { name: "Chat settings" });
    await eventually(async () => {
      assert.equal(await settings.isVisible(), false);
      assert.equal(await attach.isVisible(), true);
    });
    await more.press("Enter");
    await eventually(async () => assert.equal(await settings.isVisible(), true));
    await press("Escape");
    await eventually(async () => assert.equal(await settings.isVisible(), false));
    await driver.page.setViewportSize({ width: 200, height: 500 });
    await eventually(async () => assert.equal(await attach.isVisible(), false));
    await driver.page.getByRole("textbox", { name: "Message", exact: true }).fill("Text");
    await eventually(async () =>
      assert.equal(await driver.page.getByRole("button", { name: "Send" }).isVisible(), true),
    );
    await more.press("Enter");
    await eventually(async () => assert.equal(await more.getAttribute("aria-expanded"), "true"));
    await attach.focus();
    await press("Escape");
    await eventually(async () => {
      assert.equal(await attach.isVisible(), false);
      assert.ok(await hasFocus(more));
    });
    await more.press("Enter");
    await attach.click();
    await eventually(async () => assert.equal(await attach.isVisible(), false));
    assert.ok((await driver.takePosted()).some(({ type }) => type === "pickFiles"));
  });

  it("moves the focus to the composer when the focused element disappears", async () => {
    const composer = driver.page.getByRole("textbox", { name: "Message", exact: true });
    const regenerate = driver.page.getByRole("button", { name: "Regenerate" }).last();
    await regenerate.focus();
    await driver.send({ type: "streaming", isStreaming: true });
    await driver.frames();
    await eventually(async () => assert.ok(await hasFocus(composer)));
    await driver.send({ type: "streaming", isStreaming: false });
    await regenerate.focus();
    const path = { messages: [createMessage({ id: "a3", text: "Other" })], versions: {}, comparison: [] };
    await driver.send({ type: "path", keep: 3, path });
    await driver.frames();
    await eventually(async () => assert.ok(await hasFocus(composer)));
  });
});
