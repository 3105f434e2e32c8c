import assert from "node:assert/strict";
import { eventually } from "../../../support/eventually.ts";
import { createMessage, createSnapshot } from "../../support/chatPageDriver.ts";
import { testChatPage } from "../../support/pageTests.ts";

describe("The actions of a code block", function () {
  const driver = testChatPage({ width: 600, height: 500 });

  const labels = async (): Promise<readonly (string | null)[]> =>
    await driver.page
      .getByRole("toolbar", { name: "Code actions" })
      .getByRole("button")
      .evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label")));

  async function show(text: string, status: "complete" | "streaming" = "complete"): Promise<void> {
    const messages = [createMessage({ id: "a", text, status })];
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    await driver.frames();
    await driver.takePosted();
  }

  async function click(name: string): Promise<unknown> {
    await driver.page.getByRole("button", { name }).click();
    return (await driver.takePosted()).filter((message) => message.type === "code");
  }

  it("are offered in its header, with labels, in keyboard order", async () => {
    await show("```ts src/a.ts\nconst a = 1;\n```\n");
    await eventually(async () =>
      assert.deepEqual(await labels(), [
        "Insert at Cursor",
        "Open as New File",
        "Apply to src/a.ts…",
        "Copy ts Code",
      ]),
    );
  });

  it("include only those that work with an incomplete block while it streams", async () => {
    await show("```sh\nrm -r /tmp/x", "streaming");
    await eventually(async () => assert.deepEqual(await labels(), ["Copy sh Code"]));
    const delta = { textOffset: 18, text: "y\n```\n\nDone.\n\nReally.", reasoningOffset: 0, reasoning: "" };
    await driver.send({ type: "delta", messageId: "a", ...delta });
    await driver.frames();
    await eventually(async () => assert.equal((await labels())[0], "Run in Terminal…"));
  });

  it("send the host the code, its language and its file name", async () => {
    await show("```TS src/a.ts\nconst a = '<b>';\n```\n");
    const request = { type: "code", code: "const a = '<b>';\n", language: "ts", fileName: "src/a.ts" };
    assert.deepEqual(await click("Insert at Cursor"), [{ ...request, action: "insert" }]);
    assert.deepEqual(await click("Open as New File"), [{ ...request, action: "newFile" }]);
    assert.deepEqual(await click("Apply to src/a.ts…"), [{ ...request, action: "apply" }]);
  });

  it("detect the file name in the first comment or the line before", async () => {
    await show("```py\n# app/main.py\nx = 1\n```\n");
    await eventually(async () => assert.equal((await labels())[2], "Apply to app/main.py…"));
    await show("Change `lib/b.js`:\n\n```js\nb();\n```\n");
    await eventually(async () => assert.equal((await labels())[2], "Apply to lib/b.js…"));
    await show("1. Change `lib/c.js`:\n   ```js\n   c();\n   ```\n");
    await eventually(async () => assert.equal((await labels())[2], "Apply to lib/c.js…"));
  });

  it("detect the file name in the line before, wherever it is in a long response", async () => {
    for (const before of [63, 64 * 32 - 1]) {
      await show(`${"Text.\n\n".repeat(before)}Change \`lib/b.js\`:\n\n\`\`\`js\nb();\n\`\`\`\n`);
      await driver.page.getByText("lib/b.js").waitFor();
      await eventually(async () =>
        assert.equal((await labels())[2], "Apply to lib/b.js…", `after ${before} blocks`),
      );
    }
  });

  it("detect the file name in the line before, wherever it is in a long quote", async () => {
    for (const before of [63, 127]) {
      await show(`${"> Text.\n>\n".repeat(before)}> Change \`lib/b.js\`:\n>\n> \`\`\`js\n> b();\n> \`\`\`\n`);
      await eventually(async () =>
        assert.equal((await labels())[2], "Apply to lib/b.js…", `after ${before} blocks`),
      );
    }
  });

  it("prompt for a file if none is named", async () => {
    await show("Some words.\n\n```js\nb();\n```\n");
    const request = { type: "code", action: "apply", code: "b();\n", language: "js" };
    assert.deepEqual(await click("Apply to File…"), [request]);
  });

  it("offer a terminal only for shell commands", async () => {
    await show("```bash\nls\n```\n\n```python\nprint(1)\n```\n");
    await eventually(async () =>
      assert.equal(await driver.page.getByRole("button", { name: "Run in Terminal…" }).count(), 1),
    );
    const request = { type: "code", action: "run", code: "ls\n", language: "bash" };
    assert.deepEqual(await click("Run in Terminal…"), [request]);
  });

  it("consist of few elements, because a response may have thousands of code blocks", async () => {
    await show("```js\nb();\n```\n");
    const buttons = ["button", "button", "button", "button"];
    await eventually(async () => {
      const names = await driver.page
        .locator(".code *:not(code *)")
        .evaluateAll((elements) => elements.map(({ localName }) => localName));
      assert.deepEqual(names, ["div", "span", "div", ...buttons, "pre", "code"]);
    });
  });

  it("have nothing but a name for screen readers", async () => {
    await show("```js\nb();\n```\n");
    await driver.page.locator(".code pre").focus();
    const session = await driver.page.context().newCDPSession(driver.page);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    await session.detach();
    const shown = nodes.filter(({ ignored }) => !ignored);
    const buttons = shown.filter(({ name }) => /Insert at Cursor|Copy js Code/.test(String(name?.value)));
    assert.deepEqual(
      buttons.map(({ role }) => String(role?.value)),
      ["button", "button"],
    );
    const inside = new Set(buttons.flatMap(({ childIds = [] }) => childIds));
    assert.deepEqual(
      shown.filter(({ nodeId }) => inside.has(nodeId)).map(({ role }) => String(role?.value)),
      [],
    );
  });

  it("show for a moment that the code has been copied", async () => {
    await show("```js\nb();\n```\n");
    const copy = driver.page.getByRole("button", { name: "Copy js Code" });
    const [before, during] = await copy.evaluate((button: HTMLElement) => {
      const icon = (): string => getComputedStyle(button, "::before").content;
      const first = icon();
      button.click();
      return [first, icon()];
    });
    assert.match(String(during), /^".+"/);
    assert.notEqual(during, before);
    await eventually(async () =>
      assert.equal(await copy.evaluate((button) => getComputedStyle(button, "::before").content), before),
    );
  });

  it("are visible without a pointer while the block has the focus", async () => {
    await show("```js\nb();\n```\n");
    const icon = (): Promise<string> =>
      driver.page
        .getByRole("button", { name: "Insert at Cursor" })
        .evaluate((button) => getComputedStyle(button, "::before").content);
    assert.equal(await icon(), "none");
    await driver.page.locator(".code pre").focus();
    assert.match(await icon(), /^".+"$/);
  });
});
