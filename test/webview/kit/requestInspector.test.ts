import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import type { ErrorFacts } from "../../../src/core/kernel/errors.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

describe("The request inspector of a response", () => {
  const driver = testChatPage();

  const error: ErrorFacts = { reason: "unavailable", message: "The service is busy.", statusCode: 503 };

  it("is opened by a button in the response's footer, or in its context menu", async () => {
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ messages: [createMessage({ id: "a", text: "Hi" })] }),
    });
    const answer = driver.page.getByRole("article");
    await answer.getByRole("button", { name: "Inspect Request" }).click();
    assert.deepEqual((await driver.takePosted()).at(-1), {
      type: "messageAction",
      action: "inspectRequest",
      messageId: "a",
    });
    const context: unknown = JSON.parse((await answer.getAttribute("data-vscode-context")) ?? "");
    assert.deepEqual(context, { webviewSection: "answer", messageId: "a" });
  });

  it("is offered under an error, next to another model", async () => {
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ messages: [createMessage({ id: "a", status: "failed", error })] }),
    });
    const box = driver.page.getByRole("group", { name: "Error" });
    for (const name of ["Other Model…", "Inspect Request"]) await box.getByRole("button", { name }).click();
    const actions = (await driver.takePosted()).flatMap((message) =>
      message.type === "messageAction" ? [message.action] : [],
    );
    assert.deepEqual(actions, ["askOtherModel", "inspectRequest"]);
  });

  it("offers a retry only for the newest response", async () => {
    const messages = [
      createMessage({ id: "a", status: "failed", error }),
      createMessage({ id: "q", role: "user", text: "Again" }),
      createMessage({ id: "b", text: "Hi" }),
    ];
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    const box = driver.page.getByRole("group", { name: "Error" });
    await box.getByRole("button", { name: "Inspect Request" }).waitFor();
    await eventually(async () => {
      assert.equal(await box.getByRole("button", { name: "Other Model…" }).count(), 0);
      assert.equal(await box.getByRole("button", { name: "Retry" }).count(), 0);
    });
  });
});
