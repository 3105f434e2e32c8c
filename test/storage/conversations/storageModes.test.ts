import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { StoreFolder, fillConversation } from "../../support/storeFolder.ts";

describe("Stored data", function () {
  // Windows doesn't have modes: everything in the user's profile belongs to the user.
  if (process.platform === "win32") return;
  let folder: StoreFolder;
  beforeEach(() => (folder = new StoreFolder()));
  afterEach(() => folder.remove());

  /** The paths of everything in the storage folder that others can read or enter. */
  function openToOthers(): readonly string[] {
    const top = dirname(folder.file);
    const names = ["", ...readdirSync(top, { recursive: true }).map(String)];
    return names.filter((name) => (statSync(join(top, name)).mode & 0o077) !== 0);
  }

  async function storeEverything(): Promise<void> {
    const store = folder.open();
    fillConversation(store, "c1", 3);
    store.search("text");
  }

  it("can be read only by its owner: database, log and search index", async () => {
    await storeEverything();
    assert.deepEqual(openToOthers(), []);
    assert.ok(readdirSync(dirname(folder.file)).some((name) => name.endsWith("-wal")));
  });

  it("can't be read by others in a folder that was there before, which is left as it is", async () => {
    mkdirSync(dirname(folder.file), { mode: 0o755 });
    chmodSync(dirname(folder.file), 0o755);
    await storeEverything();
    assert.deepEqual(openToOthers(), [""]);
    assert.equal(statSync(dirname(folder.file)).mode & 0o777, 0o755);
  });
});
