import assert from "node:assert/strict";
import type { ToolIdentity } from "../../../../src/core/responses/tools/toolPermissions.ts";
import { ToolPermissions } from "../../../../src/core/responses/tools/toolPermissions.ts";

function tool(name: string, change: Partial<ToolIdentity> = {}): ToolIdentity {
  return { name, provider: "extension:lab.tools", fingerprint: `${name}-1`, ...change };
}

/** Permissions on top of a store that outlives them, as a file does. */
function createPermissions(stored?: unknown) {
  const store = {
    stored,
    read: () => Promise.resolve(store.stored),
    change: (change: (value: unknown) => unknown) =>
      Promise.resolve(void (store.stored = change(store.stored))),
  };
  const open = (workspace = "file:///one") => new ToolPermissions({ store, workspace: () => workspace });
  return { store, permissions: open(), open };
}

describe("Permissions of tools", () => {
  it("apply to their conversation, even after a restart, and to no other", async () => {
    const { permissions, open } = createPermissions();
    await permissions.allowInConversation(tool("read"), "c1");
    await permissions.allowInConversation(tool("write"), "c1");
    const again = open();
    assert.ok(await again.has(tool("read"), "c1"));
    assert.ok(await again.has(tool("write"), "c1"));
    assert.equal(await again.has(tool("read"), "c2"), false);
  });

  it("apply to their workspace, and to no other", async () => {
    const { permissions, open } = createPermissions();
    await permissions.allowInWorkspace(tool("read"));
    assert.ok(await open().has(tool("read"), "c2"));
    for (const workspace of ["file:///two", "file:///one file:///two", ""])
      assert.equal(await open(workspace).has(tool("read"), "c2"), false, workspace);
  });

  it("apply to the tool that they were given to, not to another one with the same name", async () => {
    const { permissions } = createPermissions();
    await permissions.allowInWorkspace(tool("read"));
    await permissions.allowInConversation(tool("write"), "c1");
    for (const name of ["read", "write"]) {
      assert.ok(await permissions.has(tool(name), "c1"));
      assert.equal(await permissions.has(tool(name, { provider: "extension:evil.tools" }), "c1"), false);
      assert.equal(await permissions.has(tool(name, { fingerprint: "changed" }), "c1"), false);
    }
  });

  it("are listed, and revoked one by one or all at once", async () => {
    const { permissions, open } = createPermissions();
    await permissions.allowInWorkspace(tool("read"));
    await open("file:///two").allowInWorkspace(tool("read"));
    await permissions.allowInConversation(tool("read"), "c1");
    assert.deepEqual(
      (await permissions.list()).map(({ scope }) => scope),
      [
        { kind: "workspace", id: "file:///one" },
        { kind: "workspace", id: "file:///two" },
        { kind: "conversation", id: "c1" },
      ],
    );
    await permissions.revoke((await permissions.list()).slice(0, 1));
    assert.ok(await permissions.has(tool("read"), "c1"));
    assert.equal(await permissions.has(tool("read"), "c2"), false);
    assert.ok(await open("file:///two").has(tool("read"), "c2"));
    await permissions.revoke((await permissions.list()).slice(-1));
    assert.equal(await permissions.has(tool("read"), "c1"), false);
    await permissions.revoke(await permissions.list());
    assert.deepEqual(await permissions.list(), []);
    assert.equal(await open("file:///two").has(tool("read"), "c2"), false);
  });

  it("are kept up to a thousand", async () => {
    const { permissions } = createPermissions();
    for (let number = 0; number < 1_001; number++)
      await permissions.allowInConversation(tool("read"), `c${number}`);
    assert.equal(await permissions.has(tool("read"), "c0"), false);
    assert.ok(await permissions.has(tool("read"), "c1"));
    assert.ok(await permissions.has(tool("read"), "c1000"));
  });

  it("allow nothing if the stored value is invalid", async () => {
    for (const stored of [
      null,
      "read",
      ["read"],
      [{ ...tool("read") }],
      [{ ...tool("read"), scope: { kind: "everywhere", id: "c1" } }],
      [{ ...tool("read"), scope: { kind: "conversation" } }],
    ])
      assert.equal(await createPermissions(stored).permissions.has(tool("read"), "c1"), false);
  });
});
