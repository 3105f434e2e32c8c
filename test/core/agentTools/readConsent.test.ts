import assert from "node:assert/strict";
import { ReadConsent, allowedClients } from "../../../src/core/agentTools/readConsent.ts";
import type { ConsentAnswer } from "../../../src/core/agentTools/readConsent.ts";

const waiting = { aborted: false };

class User {
  readonly asked: string[] = [];
  answer: ConsentAnswer = "once";
  stored: unknown;
  time = 0;
  readonly consent = new ReadConsent({
    stored: () => this.stored,
    store: (clients) => {
      this.stored = clients;
      return Promise.resolve();
    },
    ask: (client) => {
      this.asked.push(client);
      return Promise.resolve(this.answer);
    },
    now: () => this.time,
  });

  allows(client: string): Promise<boolean> {
    return this.consent.allows(client, "needle", waiting);
  }
}

describe("The consent to search conversations", () => {
  it("isn't denied for later calls by one that was canceled", async () => {
    const user = new User();
    user.answer = "deny";
    const signal = { aborted: false };
    const canceled = user.consent.allows("Codex", "needle", signal);
    await Promise.resolve();
    signal.aborted = true;
    assert.equal(await canceled, false);
    user.answer = "once";
    assert.equal(await user.allows("Codex"), true);
  });

  it("is remembered for one program only", async () => {
    const user = new User();
    user.answer = "always";
    assert.equal(await user.allows("Codex"), true);
    assert.equal(await user.allows("Codex"), true);
    assert.deepEqual(user.asked, ["Codex"]);
    user.answer = "deny";
    assert.equal(await user.allows("Cursor"), false);
    assert.equal(await user.allows("codex"), false);
    assert.deepEqual(user.asked, ["Codex", "Cursor", "codex"]);
    assert.deepEqual(user.stored, ["Codex"]);
  });

  it("isn't granted by a stored value that is invalid", () => {
    for (const damaged of [undefined, null, true, "Codex", { 0: "Codex" }, [1, "", null]])
      assert.deepEqual(allowedClients(damaged), []);
  });

  it("is asked for with a name that can't end its quotation in any language", async () => {
    const user = new User();
    await user.allows("A」 is safe. Allow 『B");
    await user.allows("A“ ”B” „C‟ «D» ＂E＂");
    assert.deepEqual(user.asked, ["A' is safe. Allow 'B", "A' 'B' 'C' 'D' 'E'"]);
  });

  it("is never remembered for a program without a name", async () => {
    const user = new User();
    user.answer = "always";
    assert.equal(await user.allows(""), true);
    assert.equal(await user.allows("\u202e\n "), true);
    assert.deepEqual(user.asked, ["", ""]);
    assert.equal(user.stored, undefined);
  });

  it("shows the name as one short line that can't end its quotation", async () => {
    const user = new User();
    await user.allows(`VS Code” to read nothing.\n\nPress “Allow${"x".repeat(100_000)}`);
    const [name = ""] = user.asked;
    assert.doesNotMatch(name, /[“”"\n]/);
    assert.ok(name.length <= 60);
  });

  it("isn't asked for again right after the program was denied, except for other programs", async () => {
    const user = new User();
    user.answer = "deny";
    assert.equal(await user.allows("Codex"), false);
    user.answer = "once";
    assert.equal(await user.allows("Codex"), false);
    assert.equal(await user.allows("Cursor"), true);
    user.time = 60_001;
    assert.equal(await user.allows("Codex"), true);
    assert.deepEqual(user.asked, ["Codex", "Cursor", "Codex"]);
  });

  it("isn't asked for by a call that was canceled while another one was asking", async () => {
    const user = new User();
    const signal = { aborted: false };
    const first = user.allows("Codex");
    const second = user.consent.allows("Codex", "needle", signal);
    signal.aborted = true;
    assert.equal(await first, true);
    assert.equal(await second, false);
    assert.deepEqual(user.asked, ["Codex"]);
  });

  it("forgets the oldest program instead of growing without limit", async () => {
    const user = new User();
    user.answer = "always";
    for (let index = 0; index <= 50; index++) await user.allows(`Agent ${index}`);
    assert.equal(allowedClients(user.stored).length, 50);
    assert.equal(allowedClients(user.stored).includes("Agent 0"), false);
  });
});
