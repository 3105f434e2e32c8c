import type { IconName } from "../../../../src/core/kernel/iconNames.ts";
import assert from "node:assert/strict";
import { eventually } from "../../../support/eventually.ts";
import type { FromWebview } from "../../../../src/core/panel/protocol.ts";
import type { Suggestion } from "../../../../src/core/compose/context/contextProtocol.ts";
import { createSnapshot } from "../../support/chatPageDriver.ts";
import { testChatPage } from "../../support/pageTests.ts";

const kinds: readonly Suggestion[] = [
  { id: "1.0", label: "File…", detail: "#file:", icon: "file", narrowsTo: "file:" },
  {
    id: "1.1",
    label: "Selection",
    detail: "Nothing is selected",
    icon: "list-selection",
    isUnavailable: true,
  },
  { id: "1.2", label: "app.ts", detail: "src", icon: "file" },
];

type Suggest = Extract<FromWebview, { readonly type: "suggest" }>;

describe("The list of suggestions", function () {
  const driver = testChatPage({
    prepare: async (): Promise<void> => {
      await driver.send({ type: "snapshot", snapshot: createSnapshot() });
      await driver.takePosted();
    },
  });

  const box = () => driver.page.getByRole("textbox", { name: "Message" });
  const list = () => driver.page.getByRole("listbox", { name: "Suggestions" });
  const option = (name: string) => list().getByRole("option", { name });

  /** Waits for the page's request and responds to it. */
  async function answer(items: readonly Suggestion[], text?: string): Promise<Suggest> {
    const asked = await driver.page.waitForFunction((wanted) => {
      const questions = globalThis.posted.filter((message) => message.type === "suggest");
      return questions.findLast((message) => wanted === undefined || message.text === wanted);
    }, text);
    const question: Suggest = JSON.parse(JSON.stringify(await asked.jsonValue()));
    await driver.send({ type: "suggestions", queryId: question.queryId, items });
    return question;
  }

  async function active(): Promise<string | null> {
    const id = await box().getAttribute("aria-activedescendant");
    return id === null ? null : await driver.page.locator(`#${id} .suggestion-label`).textContent();
  }

  const picked = async () => (await driver.takePosted()).filter(({ type }) => type === "pickSuggestion");

  it("opens at a # and announces the number of entries, while the focus stays in the text", async () => {
    await box().pressSequentially("see #");
    const question = await answer(kinds);
    assert.deepEqual([question.trigger, question.text], ["#", ""]);
    await list().waitFor();
    await eventually(async () => {
      assert.equal(await list().getByRole("option").count(), 3);
      assert.equal(await box().getAttribute("aria-controls"), "suggestions");
      assert.equal(await active(), "File…");
      assert.equal(
        await driver.page.locator(".suggestions-frame [role=status]").textContent(),
        "3 suggestions",
      );
      assert.ok(await box().evaluate((element) => element === document.activeElement));
    });
  });

  it("is navigated with the arrow keys and wraps around", async () => {
    await box().pressSequentially("#");
    await answer(kinds);
    await box().press("ArrowDown");
    await box().press("ArrowDown");
    await eventually(async () => assert.equal(await active(), "app.ts"));
    await box().press("ArrowDown");
    await eventually(async () => assert.equal(await active(), "File…"));
    await box().press("ArrowUp");
    await eventually(async () => assert.equal(await active(), "app.ts"));
  });

  it("removes the typed word when Enter or Tab selects an entry", async () => {
    for (const key of ["Enter", "Tab"]) {
      await box().fill("");
      await box().pressSequentially("see #ap");
      const { queryId } = await answer(
        [{ id: `${key}.0`, label: "app.ts", detail: "src", icon: "file" }],
        "ap",
      );
      assert.ok(queryId > 0);
      await list().waitFor();
      await box().press(key);
      await eventually(async () => assert.equal(await box().inputValue(), "see "));
      assert.deepEqual(await picked(), [{ type: "pickSuggestion", id: `${key}.0` }]);
      await eventually(async () => {
        assert.ok(await list().isHidden());
        assert.ok(await box().evaluate((element) => element === document.activeElement));
      });
    }
  });

  it("can be used with the mouse", async () => {
    await box().pressSequentially("#");
    await answer(kinds);
    await option("app.ts").click();
    assert.deepEqual(await picked(), [{ type: "pickSuggestion", id: "1.2" }]);
  });

  it("doesn't select an unavailable entry, and shows the reason", async () => {
    await box().pressSequentially("#");
    await answer(kinds);
    await eventually(async () =>
      assert.equal(await option("Selection Nothing is selected").getAttribute("aria-disabled"), "true"),
    );
    // Forced, because the test driver, too, considers the entry unavailable.
    await option("Selection").click({ force: true });
    await box().press("ArrowDown");
    await box().press("Enter");
    assert.deepEqual(await picked(), []);
    await eventually(async () => assert.equal(await box().inputValue(), "#"));
  });

  it("narrows to one kind and stays open", async () => {
    await box().pressSequentially("#");
    await answer(kinds);
    await box().press("Enter");
    await eventually(async () => assert.equal(await box().inputValue(), "#file:"));
    await answer([{ id: "2.0", label: "b.ts", detail: "", icon: "file" }], "file:");
    await option("b.ts").waitFor();
  });

  it("is dismissed for this word with Esc, after which Enter sends the message", async () => {
    await box().pressSequentially("#");
    await answer(kinds);
    await box().press("Escape");
    await eventually(async () => assert.ok(await list().isHidden()));
    await box().pressSequentially("12");
    await box().press("Enter");
    const posted = await driver.takePosted();
    assert.ok(posted.some((message) => message.type === "send" && message.text === "#12"));
    assert.equal(posted.filter(({ type }) => type === "suggest").length, 1);
  });

  it("opens for another word that replaces the one for which it was dismissed", async () => {
    await box().pressSequentially("#");
    await answer(kinds);
    await box().press("Escape");
    await eventually(async () => assert.ok(await list().isHidden()));
    await box().press("ControlOrMeta+a");
    await box().pressSequentially("/");
    await answer([{ id: "1.0", label: "/clear", detail: "", icon: "add" }], "");
    await option("/clear").waitFor();
  });

  it("lets Enter send the message if nothing matches", async () => {
    await box().pressSequentially("fix #123");
    await answer([], "123");
    await box().press("Enter");
    assert.ok((await driver.takePosted()).some(({ type }) => type === "send"));
  });

  it("delays the selection until the response to the last key arrives", async () => {
    await box().pressSequentially("/");
    await answer([{ id: "1.0", label: "/clear", detail: "", icon: "add" }], "");
    await box().pressSequentially("fix");
    await box().press("Enter");
    await eventually(async () => assert.equal(await box().inputValue(), "/fix"));
    await answer([{ id: "2.0", label: "/fix", detail: "", icon: "wrench" }], "fix");
    assert.deepEqual(await picked(), [{ type: "pickSuggestion", id: "2.0" }]);
    await eventually(async () => assert.equal(await box().inputValue(), ""));
  });

  it("selects a fully typed command when a space follows", async () => {
    await box().pressSequentially("/fix");
    await answer([{ id: "2.0", label: "/fix", detail: "", icon: "wrench" }], "fix");
    await list().waitFor();
    await box().press(" ");
    assert.deepEqual(await picked(), [{ type: "pickSuggestion", id: "2.0" }]);
  });

  it("leaves the keys to an active input method", async () => {
    await box().pressSequentially("#");
    await answer(kinds);
    await box().dispatchEvent("keydown", { key: "Enter", isComposing: true });
    await box().dispatchEvent("keydown", { key: "Enter", keyCode: 229 });
    assert.deepEqual(await picked(), []);
  });

  it("ignores a response that arrives too late", async () => {
    await box().pressSequentially("#a");
    const { queryId } = await answer(kinds, "a");
    await box().press("Escape");
    await driver.send({ type: "suggestions", queryId, items: kinds });
    await eventually(async () => assert.ok(await list().isHidden()));
  });

  it("opens with a button too, which adds a space if needed, and one # after a double click", async () => {
    await box().fill("see");
    await driver.page.getByRole("button", { name: /^Add context/ }).dblclick();
    await eventually(async () => assert.equal(await box().inputValue(), "see #"));
    await answer(kinds);
    await option("app.ts").waitFor();
  });

  it("closes when the focus is lost", async () => {
    await box().pressSequentially("#");
    await answer(kinds);
    await driver.page.getByRole("button", { name: /^Model/ }).focus();
    await eventually(async () => assert.ok(await list().isHidden()));
    assert.ok((await driver.takePosted()).some(({ type }) => type === "suggestEnd"));
  });

  it("restores the removed word on Undo", async () => {
    await box().pressSequentially("see #ap");
    await answer([{ id: "1.0", label: "app.ts", detail: "", icon: "file" }], "ap");
    await list().waitFor();
    await box().press("Enter");
    await box().press("Control+z");
    await eventually(async () => assert.equal(await box().inputValue(), "see #ap"));
  });

  it("shows labels and details as plain text", async () => {
    const nasty = '<img src=x onerror="globalThis.__pwned=1">';
    await box().pressSequentially("#");
    await answer([{ id: "1.0", label: nasty, detail: nasty, icon: `x" onclick="y` as IconName }]);
    await eventually(async () => {
      assert.equal(await list().locator(".suggestion-label").textContent(), nasty);
      assert.equal(await driver.page.locator(".suggestions img").count(), 0);
      assert.equal(await list().locator(".codicon-circle-small").count(), 1);
    });
  });
});

describe("Attached texts", function () {
  const driver = testChatPage({
    prepare: async (): Promise<void> => {
      await driver.send({ type: "snapshot", snapshot: createSnapshot() });
      await driver.takePosted();
    },
  });

  const text = "Selection `src/app.ts`, lines 3-4:\n\n```ts\nlet a = 1;\n```";
  const part = { type: "text", text, title: "src/app.ts:3-4" } as const;
  const box = () => driver.page.getByRole("textbox", { name: "Message" });
  const chip = () => driver.page.getByRole("button", { name: /^Open src\/app\.ts:3-4, ≈ \d+ tokens$/ });

  it("are chips with their size, and open with a click", async () => {
    await driver.send({ type: "compose", text: "", parts: [part] });
    await chip().click();
    const posted = await driver.takePosted();
    assert.ok(posted.some((message) => message.type === "draft" && message.attachments?.length === 1));
    assert.deepEqual(
      posted.filter(({ type }) => type === "openContext"),
      [{ type: "openContext", title: "src/app.ts:3-4", text }],
    );
  });

  it("keep their line numbers visible in a narrow view", async () => {
    await driver.page.setViewportSize({ width: 300, height: 700 });
    const path = `src/${"deeper/".repeat(9)}${"aRatherLongName".repeat(4)}.ts`;
    await driver.send({ type: "compose", text: "", parts: [{ ...part, title: `${path}:1234-5678` }] });
    const lines = driver.page.getByText(":1234-5678", { exact: true });
    const [inner, outer] = [
      await lines.boundingBox(),
      await driver.page.getByRole("button", { name: /^Open src/ }).boundingBox(),
    ];
    assert.ok(inner && outer);
    assert.ok(inner.width > 40 && inner.x > outer.x && inner.x + inner.width < outer.x + outer.width);
    assert.ok(outer.x + outer.width <= 300);
  });

  it("can be removed by keyboard and by mouse", async () => {
    await driver.send({ type: "compose", text: "", parts: [part] });
    await chip().press("Delete");
    await eventually(async () => assert.equal(await chip().count(), 0));
    await driver.send({ type: "compose", text: "", parts: [part] });
    await driver.page.getByRole("button", { name: "Remove src/app.ts:3-4" }).click();
    await eventually(async () => assert.equal(await chip().count(), 0));
  });

  it("are attached once, and sent after the text", async () => {
    await box().fill("Why?");
    await driver.send(
      { type: "compose", text: "", parts: [part] },
      { type: "compose", text: "", parts: [part] },
    );
    await box().press("Enter");
    const sent = (await driver.takePosted()).filter(({ type }) => type === "send");
    assert.deepEqual(sent, [{ type: "send", text: "Why?", attachments: [part] }]);
    await eventually(async () => assert.equal(await chip().count(), 0));
  });

  it("scroll to the last one if there are many", async () => {
    const parts = Array.from({ length: 30 }, (_, index) => ({
      ...{ type: "text" as const, text: `File \`${index}.ts\`` },
      title: `${index}.ts`,
    }));
    await driver.send({ type: "compose", text: "", parts });
    const last = driver.page.getByRole("button", { name: /^Open 29\.ts/ });
    const tray = driver.page.getByRole("list", { name: "Attachments" });
    const [chipBox, trayBox] = await Promise.all([last.boundingBox(), tray.boundingBox()]);
    assert.ok(chipBox !== null && trayBox !== null);
    assert.ok(chipBox.y + chipBox.height <= trayBox.y + trayBox.height);
  });

  it("are restored with the draft", async () => {
    const snapshot = createSnapshot({
      conversationId: "other",
      draft: { text: "Why?", attachments: [part] },
    });
    await driver.send({ type: "snapshot", snapshot });
    await chip().waitFor();
  });

  it("are added with text at the caret, and with a note about what is missing", async () => {
    await box().fill("ab");
    await box().press("ArrowLeft");
    await driver.send({ type: "compose", text: "XY", parts: [], notice: "Nothing is selected in app.ts." });
    await eventually(async () => assert.equal(await box().inputValue(), "aXYb"));
    await driver.page.getByText("Nothing is selected in app.ts.").waitFor();
  });
});
