import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { ToolPermissions } from "../../../src/core/responses/tools/toolPermissions.ts";
import { BusyError } from "../../../src/storage/database/sqliteTrouble.ts";
import { PermissionTable } from "../../../src/storage/records/permissionTable.ts";
import type { AttemptOptions, Records } from "../../../src/storage/records/recordsFile.ts";
import { RecordsFolder } from "../../support/recordsFolder.ts";

const tool = (name: string) => ({ name, provider: "extension:lab.tools", fingerprint: `${name}-1` });

describe("Stored permissions of tools", () => {
  let folder: RecordsFolder;
  beforeEach(() => (folder = new RecordsFolder()));
  afterEach(() => folder.remove());

  const open = (records: Records = folder.open()) =>
    new ToolPermissions({ store: new PermissionTable(records), workspace: () => "file:///one" });

  it("apply in every window once they are given, and in none once they are revoked", async () => {
    const [left, right] = [open(), open()];
    assert.equal(await right.has(tool("read"), "c"), false);
    await left.allowInWorkspace(tool("read"));
    assert.ok(await right.has(tool("read"), "c"));
    await right.revoke(await right.list());
    assert.equal(await left.has(tool("read"), "c"), false);
  });

  it("are all kept if windows give them at the same time", async () => {
    const names = ["a", "b", "c", "d"];
    await Promise.all(names.map((name) => open().allowInConversation(tool(name), "c")));
    const permissions = open();
    for (const name of names) assert.ok(await permissions.has(tool(name), "c"), name);
  });

  it("are on disk before they apply", async () => {
    const records = folder.open();
    const options: unknown[] = [];
    const watched: Records = {
      attempt(action, how?: AttemptOptions) {
        options.push(how);
        return records.attempt(action, how);
      },
    };
    await open(watched).allowInWorkspace(tool("read"));
    assert.deepEqual(options, [{ isDurable: true }]);
  });

  it("are neither given nor lost silently while another program has locked the file", async () => {
    const permissions = open();
    await permissions.allowInWorkspace(tool("read"));
    const program = folder.openDatabase();
    program.exec("BEGIN IMMEDIATE");
    await assert.rejects(permissions.allowInWorkspace(tool("write")), BusyError);
    assert.ok(await permissions.has(tool("read"), "c"));
    assert.equal(await permissions.has(tool("write"), "c"), false);
    const given = permissions.allowInWorkspace(tool("write"));
    await setTimeout(200);
    program.exec("ROLLBACK");
    await given;
    assert.ok(await open().has(tool("write"), "c"));
  });

  for (const [what, damage] of [
    ["the file is damaged", () => writeFileSync(folder.file, "not a database".repeat(1_000))],
    [
      "the row isn't JSON",
      () => folder.openDatabase().exec(`UPDATE tool_permissions SET text = '[{"name":'`),
    ],
  ] as const)
    it(`allow nothing if ${what}, and can be given again`, async () => {
      await open().allowInWorkspace(tool("read"));
      folder.close();
      damage();
      const permissions = open();
      assert.equal(await permissions.has(tool("read"), "c"), false);
      await permissions.allowInWorkspace(tool("read"));
      assert.ok(await permissions.has(tool("read"), "c"));
    });
});
