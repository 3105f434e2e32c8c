import assert from "node:assert/strict";
import { ToolPermissions } from "../../../src/core/tools/toolPermissions.ts";

/** Permissions over a store that outlives them, as VS Code's does. */
function createPermissions(stored?: unknown) {
  const store = {
    stored,
    read: () => store.stored,
    write: (value: unknown) => Promise.resolve(void (store.stored = value)),
  };
  return { store, permissions: new ToolPermissions(store), reopen: () => new ToolPermissions(store) };
}

describe("Permissions of tools", () => {
  it("hold in their conversation, also after a restart, and nowhere else", async () => {
    const { permissions, reopen } = createPermissions();
    await permissions.allowInConversation("read", "c1");
    await permissions.allowInConversation("write", "c1");
    const again = reopen();
    assert.ok(again.has("read", "c1"));
    assert.ok(again.has("write", "c1"));
    assert.equal(again.has("read", "c2"), false);
  });

  it("hold everywhere when given for always, until all are taken back", async () => {
    const { permissions, reopen } = createPermissions();
    await permissions.allowAlways("read");
    await permissions.allowInConversation("write", "c1");
    assert.ok(reopen().has("read", "c2"));
    assert.equal(await reopen().reset(), 2);
    assert.equal(permissions.has("read", "c2"), false);
    assert.equal(permissions.has("write", "c1"), false);
    assert.equal(await permissions.reset(), 0);
  });

  it("are kept of the last hundred conversations", async () => {
    const { permissions } = createPermissions();
    for (let number = 0; number < 101; number++) await permissions.allowInConversation("read", `c${number}`);
    assert.equal(permissions.has("read", "c0"), false);
    assert.ok(permissions.has("read", "c1"));
    assert.ok(permissions.has("read", "c100"));
  });

  it("allow nothing where what is stored can't be understood", () => {
    for (const stored of [
      null,
      "read",
      ["read"],
      { always: "read", conversations: [{ tools: ["read"] }, 1] },
    ])
      assert.equal(createPermissions(stored).permissions.has("read", "c1"), false);
  });
});
