import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolPermissions } from "../../../src/core/responses/tools/toolPermissions.ts";
import { PermissionTable } from "../../../src/storage/records/permissionTable.ts";
import { openRecords } from "../../support/recordsFolder.ts";
import { StoreFolder } from "../../support/storeFolder.ts";

const runner = fileURLToPath(new URL("../../support/toolRunner.ts", import.meta.url));

describe("A tool whose process is killed", function () {
  this.timeout(30_000);
  let folder: StoreFolder;
  beforeEach(() => (folder = new StoreFolder()));
  afterEach(() => folder.remove());

  /** Returns how often the tool did its work, and the state of its call after the kill. */
  async function killAt(point: string) {
    const effects = join(folder.folder, "effects");
    const flags = ["--disable-warning=ExperimentalWarning", runner, folder.file, point, effects];
    const child = spawn(process.execPath, flags, { stdio: ["ignore", "inherit", "inherit"] });
    await once(child, "exit");
    assert.equal(child.signalCode, "SIGKILL", point);
    const messages = folder.open().load("c1")?.messages ?? [];
    const records = openRecords(join(dirname(folder.file), "records.db"));
    const permissions = new ToolPermissions({
      store: new PermissionTable(records),
      workspace: () => "",
    });
    const isAllowed = await permissions.has({ name: "charge", provider: "", fingerprint: "1" }, "c1");
    records.dispose();
    return {
      runs: existsSync(effects) ? readFileSync(effects, "utf8").split("\n").length - 1 : 0,
      outcome: messages.find(({ role }) => role === "tool")?.finishReason,
      calls: messages[1]?.toolCalls.length,
      isAllowed,
    };
  }

  it("has not run, and is known not to have run, before it is shown as running", async () => {
    const found = await killAt("confirming");
    assert.deepEqual(found, { runs: 0, outcome: undefined, calls: 1, isAllowed: false });
  });

  for (const point of ["shown streaming", "running"])
    it(`may have run as soon as its start is reported (${point})`, async () => {
      const found = await killAt(point);
      assert.deepEqual(found, { runs: 0, outcome: "interrupted", calls: 1, isAllowed: true });
    });

  for (const point of ["invoked", "returned"])
    it(`may have run if its result is not on disk yet (${point})`, async () => {
      const found = await killAt(point);
      assert.deepEqual(found, { runs: 1, outcome: "interrupted", calls: 1, isAllowed: true });
    });

  for (const point of ["shown complete", "told"])
    it(`has run as soon as its result is reported (${point})`, async () => {
      const found = await killAt(point);
      assert.deepEqual(found, { runs: 1, outcome: "done", calls: 1, isAllowed: true });
    });
});
