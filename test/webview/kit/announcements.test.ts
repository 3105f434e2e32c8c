import assert from "node:assert/strict";
import type { Announcements } from "../../../src/core/panel/settings/chatPreferences.ts";
import type { MessageChange } from "../../../src/core/conversation/messageDetails.ts";
import { eventually } from "../../support/eventually.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

describe("Announcements to screen readers", function () {
  const driver = testChatPage();

  const region = () => driver.page.locator("[aria-live=polite]");

  /** Starts a response with this text. */
  async function stream(announce: Announcements, text: string): Promise<void> {
    await driver.send(
      { type: "behavior", behavior: { sendWith: "enter", announce } },
      {
        type: "snapshot",
        snapshot: createSnapshot({
          isStreaming: true,
          messages: [createMessage({ id: "a", status: "streaming" })],
        }),
      },
      { type: "delta", messageId: "a", textOffset: 0, text, reasoningOffset: 0, reasoning: "" },
    );
  }

  const end = (length: number, change: Partial<MessageChange> = {}): Promise<void> =>
    driver.send({
      type: "messageChanged",
      messageId: "a",
      change: { status: "complete", toolCalls: [], ...change },
      length,
    });

  it("contain a response sentence by sentence as it arrives", async () => {
    await stream("sentences", "A whole sentence. And the beginn");
    await region().getByText("A whole sentence.").waitFor({ state: "attached" });
    await eventually(async () => assert.doesNotMatch((await region().textContent()) ?? "", /beginn/));
  });

  it("contain a block with its items and cells apart, and name the code in it", async () => {
    const parts = async (first: string): Promise<readonly string[]> => {
      await region().getByText(first).waitFor({ state: "attached" });
      return ((await region().textContent()) ?? "").split(/\s*\n\s*/).filter((part) => part !== "");
    };
    await stream("blocks", "- One.\n- Two:\n  ```js\n  two();\n  ```\n  Three.\n\nEnd.\n\nReally.");
    assert.deepEqual(await parts("One."), ["One.", "Two:", "js code, 1 line.", "Three."]);
    await stream("blocks", "| Four | b |\n| --- | --- |\n| 1 | 2 |\n\nEnd.\n\nReally.");
    assert.deepEqual((await parts("Four")).slice(0, 4), ["Four", "b", "1", "2"]);
  });

  it("contain only the beginning of a long response if responses are announced at their end", async () => {
    const text = `The beginning. ${"Another sentence. ".repeat(5_000)}\n\nThe last one.`;
    await stream("end", text);
    // What is announced later comes later, or together with what came before.
    const error = { reason: "unavailable", message: "Busy." } as const;
    const retry = { attempt: 1, messageId: "a", maxAttempts: 2, dueAt: 0, error };
    await driver.send({ type: "streaming", isStreaming: true, retry });
    await region().getByText("Busy.").waitFor({ state: "attached" });
    assert.doesNotMatch((await region().textContent()) ?? "", /The beginning/);
    await end(text.length);
    await region().getByText("The beginning.").waitFor({ state: "attached" });
    const announced = (await region().textContent()) ?? "";
    assert.match(announced, /Another sentence/);
    assert.doesNotMatch(announced, /The last one/);
  });

  for (const announce of ["sentences", "blocks", "end"] as const)
    it(`contain the last sentence of a short response (${announce})`, async () => {
      await stream(announce, "One. Two");
      await end(8);
      await region().getByText("Two").waitFor({ state: "attached" });
    });

  for (const announce of ["sentences", "blocks", "end"] as const)
    it(`contain how a response ended, even if it is too long to announce (${announce})`, async () => {
      const text = `${"Another sentence. ".repeat(500)}\n\n`.repeat(3);
      await stream(announce, text);
      await end(text.length, { status: "stopped" });
      await region().getByText("Stopped.").waitFor({ state: "attached" });
      await stream(announce, text);
      await end(text.length, {
        status: "failed",
        error: { reason: "truncated", message: "The connection was lost." },
      });
      await region().getByText("The connection was lost.").waitFor({ state: "attached" });
    });
});
