import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

describe("The sources of a response", function () {
  const driver = testChatPage({ width: 600, height: 700 });

  it("are listed below it as inert links, each with its host", async () => {
    const sources = [
      { url: "https://a.example/page", title: "**Docs** <img src=x> of b.example" },
      { url: "https://c.example/?q=1" },
    ];
    const question = createMessage({ id: "q", role: "user", text: "Why?" });
    const response = createMessage({ id: "a", parentId: "q", text: "So [1].", sources });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [question, response] }) });
    await driver.page.getByText("Sources: 2").click();
    const rows = driver.page.locator(".sources li");
    await eventually(async () =>
      assert.deepEqual(await rows.allInnerTexts(), [
        "**Docs** <img src=x> of b.example (a.example)",
        "https://c.example/?q=1",
      ]),
    );
    await driver.takePosted();
    await rows.first().getByRole("link").click();
    const posted = await driver.takePosted();
    assert.deepEqual(
      posted.filter(({ type }) => type === "openLink"),
      [{ type: "openLink", href: "https://a.example/page" }],
    );
  });

  it("are copied after a code block that was cut, and not as a part of it", async () => {
    const sources = [{ url: "https://a.example/page" }];
    const question = createMessage({ id: "q", role: "user", text: "Why?" });
    const text = "So [1]:\n\n~~~ts\nconst cut = 1;";
    const response = createMessage({ id: "a", parentId: "q", status: "stopped", text, sources });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [question, response] }) });
    await driver.takePosted();
    await driver.page.getByRole("button", { name: "Copy Response" }).click();
    await eventually(async () =>
      assert.deepEqual(
        (await driver.takePosted()).filter(({ type }) => type === "copy"),
        [{ type: "copy", text: `${text}\n~~~\n\n**Sources**\n\n1. <https://a.example/page>` }],
      ),
    );
  });
});
