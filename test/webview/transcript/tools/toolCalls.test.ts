import assert from "node:assert/strict";
import { eventually } from "../../../support/eventually.ts";
import type { ToolsView } from "../../../../src/core/responses/tools/liveCalls.ts";
import { createMessage, createSnapshot } from "../../support/chatPageDriver.ts";
import { testChatPage } from "../../support/pageTests.ts";

const question = createMessage({ id: "q", role: "user", text: "What is the weather?" });
const answer = createMessage({
  id: "a",
  parentId: "q",
  finishReason: "tool_calls",
  toolCalls: [
    { id: "1", name: "weather", arguments: '{"city":"Kyiv","days":2}' },
    { id: "2", name: "clock", arguments: "{" },
  ],
});
const result = createMessage({
  id: "r1",
  parentId: "a",
  role: "tool",
  toolCallId: "1",
  finishReason: "done",
  text: "sunny",
  timing: { totalMs: 2_400 },
});
const waiting: ToolsView = { calls: [{ messageId: "a", callId: "1", state: "confirming" }] };

describe("Tool calls on the page", function () {
  const driver = testChatPage({ width: 600, height: 700 });

  const card = (name: string) => driver.page.getByRole("group", { name: `Tool ${name}` });
  const state = (name: string) => card(name).locator(".tool-state").textContent();
  const show = async (view: ToolsView, ...more: readonly ReturnType<typeof createMessage>[]) =>
    driver.send(
      {
        type: "snapshot",
        snapshot: createSnapshot({
          messages: [question, answer, ...more],
          isStreaming: view.calls.length > 0,
        }),
      },
      { type: "tools", tools: view },
    );

  it("are cards that show all their arguments, indented, while waiting for confirmation", async () => {
    await show(waiting);
    await eventually(async () => {
      assert.equal(await state("weather"), "waiting for your confirmation");
      assert.equal(
        await card("weather").getByLabel("Arguments", { exact: true }).textContent(),
        '{\n  "city": "Kyiv",\n  "days": 2\n}',
      );
      assert.equal(await state("clock"), "no result");
    });
  });

  it("are found with their arguments and results, which unfold, like the reasoning before them", async () => {
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({
        messages: [question, { ...answer, reasoning: "It may be sunny in Kyiv." }, result],
      }),
    });
    await card("weather").waitFor();
    await driver.page.keyboard.press("Control+f");
    const input = driver.page.getByRole("textbox", { name: "Find in Conversation" });
    const found = driver.page.locator(".find-count");
    await input.fill("sunny");
    await found.filter({ hasText: "1 of 2 results" }).waitFor();
    await driver.page.getByText("It may be").waitFor();
    await input.press("Enter");
    await found.filter({ hasText: "2 of 2 results" }).waitFor();
    await card("weather").getByLabel("Result", { exact: true }).waitFor();
    await input.fill("kyiv");
    await input.press("Enter");
    await found.filter({ hasText: "2 of 2 results" }).waitFor();
    assert.ok(await card("weather").getByLabel("Arguments", { exact: true }).isVisible());
    await input.press("Escape");
  });

  it("can be confirmed by keyboard, which leaves the focus on the card", async () => {
    await show(waiting);
    for (const [label, given] of [
      ["Allow Once", "once"],
      ["More Choices…", "review"],
      ["Decline", "decline"],
    ] as const) {
      await driver.takePosted();
      await card("weather").getByRole("button", { name: label }).press("Enter");
      assert.deepEqual(await driver.takePosted(), [
        { type: "toolAnswer", messageId: "a", callId: "1", answer: given },
      ]);
    }
    await driver.send({
      type: "tools",
      tools: { calls: [{ messageId: "a", callId: "1", state: "running" }] },
    });
    await eventually(async () => {
      assert.equal(await state("weather"), "running…");
      assert.equal(await card("weather").getByRole("button", { name: "Allow Once" }).isVisible(), false);
      assert.ok(
        await card("weather")
          .locator("summary")
          .evaluate((element) => element === document.activeElement),
      );
    });
  });

  it("aren't decided on the page and again in a dialog: if a dialog is needed, the page only opens it", async () => {
    await show({ calls: [{ messageId: "a", callId: "1", state: "confirming", needsDialog: true }] });
    const asking = card("weather").locator(".tool-question");
    await eventually(async () =>
      assert.deepEqual(await asking.getByRole("button").allTextContents(), ["Review and Run…", "Decline"]),
    );
    await driver.takePosted();
    await asking.getByRole("button", { name: "Review and Run…" }).press("Enter");
    assert.deepEqual(await driver.takePosted(), [
      { type: "toolAnswer", messageId: "a", callId: "1", answer: "review" },
    ]);
    await show(waiting);
    await asking.getByRole("button", { name: "Allow Once" }).waitFor();
  });

  it("are announced to screen readers while they wait", async () => {
    await show(waiting);
    await driver.page
      .locator("[aria-live=polite]", { hasText: "weather: waiting for your confirmation" })
      .waitFor({
        state: "attached",
      });
  });

  it("show the result, its duration and its outcome, collapsed", async () => {
    await show({ calls: [] }, result);
    await eventually(async () => {
      assert.equal(await state("weather"), "done · 2 s");
      assert.equal(await card("weather").getByLabel("Result", { exact: true }).isVisible(), false);
    });
    await card("weather").locator("summary").click();
    await eventually(async () =>
      assert.equal(await card("weather").getByLabel("Result", { exact: true }).textContent(), "sunny"),
    );
    const outcomes = {
      failed: "failed",
      declined: "declined",
      stopped: "stopped",
      unknown: "unknown tool",
      refused: "arguments rejected",
    };
    for (const [outcome, words] of Object.entries(outcomes)) {
      await driver.send({
        type: "snapshot",
        snapshot: createSnapshot({
          conversationId: outcome,
          messages: [
            { ...answer, id: outcome },
            { ...result, id: `r-${outcome}`, parentId: outcome, finishReason: outcome },
          ],
        }),
      });
      await eventually(async () => assert.equal(await state("weather"), `${words} · 2 s`));
    }
  });

  it("may have run if VS Code exited in the meantime, and warn about it before they run again", async () => {
    const interrupted = {
      ...result,
      status: "failed" as const,
      finishReason: "interrupted",
      text: "English.",
    };
    await show({ calls: [] }, interrupted);
    await eventually(async () => {
      assert.match((await state("weather")) ?? "", /^may have run/);
      assert.equal(await driver.page.getByText("English.").count(), 0);
      assert.equal(
        await driver.page.getByText("Some of these calls may already have run.").isVisible(),
        true,
      );
    });
    const asked = { messageId: "a", callId: "1", state: "confirming", concern: { reason: "again" } } as const;
    await show({ calls: [asked] }, interrupted);
    await eventually(async () => {
      assert.equal(await state("weather"), "waiting for your confirmation · 2 s");
      assert.equal(await card("weather").getByRole("button", { name: "More Choices…" }).count(), 0);
    });
    await driver.takePosted();
    await card("weather").getByRole("button", { name: "Don't Run Again" }).click();
    await card("weather").getByRole("button", { name: "Run Again", exact: true }).click();
    const answers = (await driver.takePosted()).map(
      (message) => message.type === "toolAnswer" && message.answer,
    );
    assert.deepEqual(answers, ["decline", "once"]);
  });

  it("that run in another window can't be continued here until their result arrives", async () => {
    const calls = answer.toolCalls.slice(0, 1);
    const messages = [
      question,
      { ...answer, toolCalls: calls },
      { ...result, status: "streaming" as const, text: "" },
    ];
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    await eventually(async () => {
      assert.match((await state("weather")) ?? "", /^running in another window…/);
      assert.equal(await driver.page.getByRole("button", { name: "Continue", exact: true }).count(), 0);
    });
    await driver.send({ type: "messageAdded", message: result });
    await eventually(async () => {
      assert.match((await state("weather")) ?? "", /^done/);
      assert.equal(await driver.page.getByRole("button", { name: "Continue", exact: true }).count(), 1);
    });
  });

  it("require another confirmation if the conversation can't be saved, for a single run", async () => {
    await show(waiting);
    await show({
      calls: [{ messageId: "a", callId: "1", state: "confirming", concern: { reason: "unwritten" } }],
    });
    const asking = card("weather").locator(".tool-question");
    await eventually(async () => {
      assert.match((await asking.textContent()) ?? "", /can't be saved right now.*Run it anyway\?/u);
      assert.deepEqual(await asking.getByRole("button").allTextContents(), ["Run Anyway", "Don't Run"]);
    });
    await driver.takePosted();
    await asking.getByRole("button", { name: "Run Anyway" }).press("Enter");
    assert.deepEqual(await driver.takePosted(), [
      { type: "toolAnswer", messageId: "a", callId: "1", answer: "once" },
    ]);
  });

  it("name the text that a copied order stands in, with the arguments open, and can be allowed only once", async () => {
    await show(waiting);
    const concern = { reason: "copied", place: "notes.md" } as const;
    await show({ calls: [{ messageId: "a", callId: "1", state: "confirming", concern }] });
    const asking = card("weather").locator(".tool-question");
    await eventually(async () => {
      assert.match((await asking.textContent()) ?? "", /text that you didn't type, in notes\.md/u);
      assert.deepEqual(await asking.getByRole("button").allTextContents(), ["Allow Once", "Decline"]);
      assert.equal(await card("weather").getByLabel("Arguments", { exact: true }).isVisible(), true);
    });
  });

  it("include a result that arrives later, and the following response without a repeated author", async () => {
    await show(waiting);
    await driver.send({ type: "tools", tools: { calls: [] } }, { type: "messageAdded", message: result });
    await eventually(async () => assert.match((await state("weather")) ?? "", /^done/));
    const last = createMessage({ id: "b", parentId: "r1", text: "It is sunny." });
    await driver.send({ type: "messageAdded", message: last });
    await driver.frames();
    await eventually(async () => {
      assert.equal(await driver.page.getByText("It is sunny.").isVisible(), true);
      assert.equal(await driver.page.locator("article").count(), 3);
    });
    const author = await driver.page.locator('[data-message-id="b"] > .author').boundingBox();
    assert.ok(author !== null && author.width <= 1 && author.height <= 1);
  });

  it("truncate a long result and offer the full one", async () => {
    await show({ calls: [] }, { ...result, text: "x".repeat(50_000) });
    await card("weather").locator("summary").click();
    await eventually(async () =>
      assert.equal(
        (await card("weather").getByLabel("Result", { exact: true }).textContent())?.length,
        4_000,
      ),
    );
    await driver.takePosted();
    await card("weather").getByRole("button", { name: "Open Full Result" }).click();
    assert.deepEqual(await driver.takePosted(), [
      { type: "messageAction", action: "openToolResult", messageId: "r1" },
    ]);
  });

  it("truncate arguments of a megabyte and offer the full ones before they run", async () => {
    const calls = [{ id: "1", name: "write", arguments: JSON.stringify({ text: "x ".repeat(500_000) }) }];
    await driver.send(
      { type: "snapshot", snapshot: createSnapshot({ messages: [{ ...answer, toolCalls: calls }] }) },
      { type: "tools", tools: waiting },
    );
    const shown = await card("write").getByLabel("Arguments", { exact: true }).textContent();
    assert.equal(shown?.length, 10_000);
    await driver.takePosted();
    await card("write").getByRole("button", { name: "Open Full Arguments" }).click();
    assert.deepEqual(await driver.takePosted(), [{ type: "openToolArguments", messageId: "a", callId: "1" }]);
  });

  it("are shown while the model still writes them, and receive their IDs later", async () => {
    const open = createMessage({ id: "a", parentId: "q", status: "streaming" });
    const name = { name: "weather", arguments: "" };
    await driver.send(
      { type: "snapshot", snapshot: createSnapshot({ messages: [question, open], isStreaming: true }) },
      {
        type: "messageChanged",
        messageId: "a",
        change: { status: "streaming", toolCalls: [{ id: "a-0", ...name }] },
        length: 0,
      },
    );
    await eventually(async () => assert.equal(await state("weather"), "writing…"));
    await driver.send(
      {
        type: "messageChanged",
        messageId: "a",
        change: { status: "complete", toolCalls: answer.toolCalls },
        length: 0,
      },
      { type: "tools", tools: waiting },
    );
    await eventually(async () => {
      assert.equal(await state("weather"), "waiting for your confirmation");
      assert.equal(await driver.page.locator(".tool-call").count(), 2);
    });
  });

  it("explain in a sentence why they failed, without being expanded", async () => {
    const reasons = {
      failed: "The tool failed: no network",
      unknown: "The model called a tool that isn't enabled in this conversation.",
      refused: "The arguments don't match the tool's schema.",
    };
    for (const [finishReason, words] of Object.entries(reasons)) {
      const text = "The tool failed: no network\nat somewhere";
      await show({ calls: [] }, { ...result, id: `r-${finishReason}`, finishReason, text });
      await eventually(async () =>
        assert.ok((await card("weather").locator(".tool-reason").innerText()).startsWith(words)),
      );
    }
  });

  it("show the images of a result, which can be enlarged with a click", async () => {
    const data =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const image = { type: "image", mediaType: "image/png", data } as const;
    await show({ calls: [] }, { ...result, attachments: [image] });
    const models = [{ id: "blind", supportsImages: false }];
    await driver.send({ type: "picker", picker: { state: "ready", models, selected: "blind" } });
    await driver.page.getByRole("button", { name: "Model: blind" }).waitFor();
    assert.equal(await driver.page.getByText(/^blind doesn't support/).count(), 0);
    await card("weather").locator("summary").click();
    await card("weather")
      .getByRole("button", { name: /^Enlarge/ })
      .click();
    await driver.page.getByRole("dialog").waitFor();
  });

  it("show the real arguments, whatever the model hides in them", async () => {
    const name = "safe\u202etool";
    const hidden = { id: "1", name, arguments: '{"a":"x\u202ey\u200bz<img src=x onerror=alert(1)>"}' };
    await driver.send(
      { type: "snapshot", snapshot: createSnapshot({ messages: [{ ...answer, toolCalls: [hidden] }] }) },
      { type: "tools", tools: waiting },
    );
    const text = await driver.page.getByLabel("Arguments", { exact: true }).textContent();
    assert.equal(text, '{\n  "a": "x\\u202ey\\u200bz<img src=x onerror=alert(1)>"\n}');
    await eventually(async () =>
      assert.equal(await driver.page.locator(".tool-name").textContent(), "safe\\u202etool"),
    );
  });

  it("explain why they were not run, and continue if the user wants", async () => {
    await show({ calls: [], limit: { messageId: "a", rounds: 10 } });
    await eventually(async () =>
      assert.equal(await driver.page.getByText("Reached the limit of 10 tool rounds").isVisible(), true),
    );
    await driver.takePosted();
    await driver.page.getByRole("button", { name: "Continue", exact: true }).click();
    assert.deepEqual(await driver.takePosted(), [
      { type: "messageAction", action: "continueTools", messageId: "a" },
    ]);
    await driver.send({ type: "streaming", isStreaming: true });
    await eventually(async () =>
      assert.equal(
        await driver.page.getByRole("button", { name: "Continue", exact: true }).isVisible(),
        false,
      ),
    );
  });
});

describe("The tools and the response format in the composer", function () {
  const driver = testChatPage({ width: 600, height: 500 });

  const actions = async (): Promise<readonly string[]> =>
    (await driver.takePosted()).flatMap((message) => (message.type === "action" ? [message.id] : []));

  it("show how many tools are selected, open the list, and are behind “+” while nothing is selected", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ settings: { tools: ["a", "b"] } }) });
    await actions();
    await driver.page.getByRole("button", { name: "Select Tools: 2 selected" }).click();
    await driver.send({ type: "settings", settings: {} });
    const select = driver.page.getByRole("button", { name: "Select Tools", exact: true });
    await eventually(async () => assert.equal(await select.isVisible(), false));
    await driver.page.getByRole("button", { name: "More actions" }).click();
    await select.click();
    assert.deepEqual(await actions(), ["selectTools", "selectTools"]);
  });

  it("show the schema as a chip that can be opened and removed", async () => {
    const json_schema = { name: "order", schema: { type: "object" }, strict: true };
    const parameters = { response_format: { type: "json_schema", json_schema } };
    await driver.send({ type: "settings", settings: { parameters } });
    await actions();
    await driver.page.getByRole("button", { name: "order", exact: true }).click();
    await driver.page.getByRole("button", { name: "Remove the response format order" }).press("Enter");
    await driver.send({ type: "settings", settings: {} });
    const message = driver.page.getByRole("textbox", { name: "Message", exact: true });
    await eventually(async () =>
      assert.ok(await message.evaluate((element) => element === document.activeElement)),
    );
    await driver.page.getByRole("button", { name: "More actions" }).click();
    await driver.page.getByRole("button", { name: "Response Format: Text" }).click();
    assert.deepEqual(await actions(), ["openResponseSchema", "removeResponseFormat", "setResponseFormat"]);
  });
});

describe("The reasoning of a response", function () {
  const driver = testChatPage();

  it("shows its duration even after a reload, and is rendered only when opened", async () => {
    const thought = createMessage({ reasoning: "**Hm**", text: "So.", timing: { reasoningMs: 12_300 } });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [thought] }) });
    const reasoning = driver.page.locator(".reasoning");
    await eventually(async () => {
      assert.equal(await reasoning.locator("summary").textContent(), "Thought for 12 s");
      assert.equal(await reasoning.locator("strong").count(), 0);
    });
    await reasoning.locator("summary").click();
    await reasoning.locator("strong").waitFor();
  });
});
