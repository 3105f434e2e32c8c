import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

const question = createMessage({ id: "q", role: "user", text: "Why?" });

describe("The chat page", function () {
  const driver = testChatPage({ width: 600, height: 500 });

  const button = (name: string) => driver.page.getByRole("button", { name, exact: true });

  it("shows an error with the server's message, and sends the action of a button", async () => {
    const error = {
      reason: "apiKey",
      message: "The key was refused.",
      statusCode: 401,
      requestId: "r-1",
    } as const;
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ messages: [createMessage({ id: "a", status: "failed", error })] }),
    });
    const shown = (await driver.page.getByRole("group", { name: "Error" }).textContent()) ?? "";
    for (const words of ["The key was refused.", "401", "r-1"]) assert.ok(shown.includes(words), shown);
    await driver.takePosted();
    await driver.page.getByRole("button", { name: "Set API Key" }).click();
    assert.deepEqual(await driver.takePosted(), [{ type: "action", id: "setApiKey", messageId: "a" }]);
  });

  it("offers a specific fix under a rejected request", async () => {
    const request = "POST https://lab.test/v1/chat/completions";
    const cases = [
      [
        { reason: "contextLength", tokens: { limit: 4096 } },
        "Send Again Without the Oldest Turns",
        "retryShorter",
      ],
      [{ reason: "contextLength" }, "Summarize and Continue", "summarize"],
      [
        { reason: "unsupportedParameter", parameter: "top_k" },
        "Send Again Without It",
        "retryWithoutParameter",
      ],
      [{ reason: "payment", link: "https://billing.test/top-up" }, "Open billing.test", "addCredit"],
      [{ reason: "unknownModel" }, "Other Model…", "askOtherModel"],
    ] as const;
    for (const [facts, name, action] of cases) {
      const error = { message: "It was rejected.", request, ...facts };
      const failed = createMessage({ id: "a", status: "failed", error });
      await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [failed] }) });
      await driver.takePosted();
      await driver.page.getByRole("button", { name }).click();
      assert.deepEqual(await driver.takePosted(), [{ type: "messageAction", action, messageId: "a" }]);
    }
  });

  it("offers the other scheme if the server uses it", async () => {
    const error = { message: "It was rejected.", reason: "wrongScheme", scheme: "http" } as const;
    const failed = createMessage({ id: "a", status: "failed", error });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [failed] }) });
    await driver.takePosted();
    await driver.page.getByRole("button", { name: "Use http://" }).click();
    assert.deepEqual(await driver.takePosted(), [{ type: "action", id: "switchScheme", messageId: "a" }]);
  });

  it("offers Retry only under the newest message", async () => {
    const stopped = createMessage({ id: "a", status: "stopped", text: "half" });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [stopped] }) });
    await eventually(async () => assert.equal(await button("Retry").count(), 1));
    await driver.send({ type: "messageAdded", message: question });
    await eventually(async () => assert.equal(await button("Retry").count(), 0));
  });

  it("counts down to a retry that can be skipped, canceled or sent to another model", async () => {
    const error = {
      reason: "unavailable",
      message: "The server is overloaded.",
      statusCode: 503,
      request: "POST https://lab.test/v1/chat/completions",
    } as const;
    const retry = { attempt: 2, maxAttempts: 5, dueAt: Date.now() + 60_000, error, messageId: "a" };
    const show = (compared: { readonly isCompared?: true }): Promise<void> =>
      driver.send({
        type: "snapshot",
        snapshot: createSnapshot({ isStreaming: true, retry: { ...retry, ...compared } }),
      });
    await show({});
    const notice = driver.page.getByRole("group", { name: "Retry" });
    await eventually(async () =>
      assert.match(
        await notice.innerText(),
        /Retrying in \d+ s \(attempt 2 of 5\)[^]*Request\s+POST https:\/\/lab\.test[^]*Status\s+503/,
      ),
    );
    await driver.takePosted();
    for (const name of ["Retry Now", "Cancel", "Other Model…"])
      await notice.getByRole("button", { name }).click();
    assert.deepEqual(await driver.takePosted(), [
      { type: "retryNow" },
      { type: "stop", messageId: "a" },
      { type: "messageAction", action: "askOtherModel", messageId: "a" },
    ]);
    await show({ isCompared: true });
    await eventually(async () =>
      assert.equal(await notice.getByRole("button", { name: "Other Model…" }).count(), 0),
    );
  });
});
