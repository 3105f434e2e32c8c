import assert from "node:assert/strict";
import type * as Module from "../../../src/vscode/servers/files/transfers.ts";
import { fakeWindow, installFakeVscode } from "../../support/fakeVscode.ts";

describe("A transfer of files", () => {
  let runTransfer: typeof Module.runTransfer;

  before(async () => {
    installFakeVscode();
    ({ runTransfer } = await import("../../../src/vscode/servers/files/transfers.ts"));
  });
  beforeEach(() => {
    fakeWindow.shown.length = 0;
  });

  it("isn't started again while it runs, because both would write to the same files", async () => {
    const transfers = new Set();
    const server = { serversView: { transfers }, row: {} } as unknown as Module.FileServer;
    const started: string[] = [];
    let finish = (): void => undefined;
    const end = new Promise<void>((resolve) => (finish = resolve));
    const transfer = (title: string, stage: string): Promise<boolean> =>
      runTransfer(server, {
        ...{ title, stage, bytes: 1 },
        async run() {
          started.push(title);
          await end;
          return [];
        },
        discard: () => Promise.resolve(),
      });
    const first = transfer("Uploading data", "a");
    assert.equal(await transfer("Uploading data again", "a"), false);
    const other = transfer("Uploading more", "b");
    assert.deepEqual(started, ["Uploading data", "Uploading more"]);
    assert.deepEqual(
      fakeWindow.shown.map(({ message }) => message),
      ["Uploading data again: This transfer is already running."],
    );
    finish();
    assert.deepEqual(await Promise.all([first, other]), [true, true]);
    assert.equal(transfers.size, 0);
    assert.equal(await transfer("Uploading data", "a"), true);
  });
});
