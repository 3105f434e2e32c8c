import assert from "node:assert/strict";
import { plainArrangement } from "../../../src/core/servers/arrange/groupServers.ts";
import { gpuRows } from "../../../src/core/servers/gpu/gpuWatchState.ts";
import { recordsIn } from "../../../src/core/kernel/json.ts";
import { ServerTreeRows } from "../../../src/core/servers/tree/serverTreeRows.ts";
import type { GpuRow } from "../../../src/core/servers/tree/rows.ts";
import type * as chooseModule from "../../../src/vscode/servers/chooseServer.ts";
import type * as itemModule from "../../../src/vscode/servers/serverTreeItem.ts";
import { commandIds } from "../../../src/vscode/shell/commandIds.ts";
import { installFakeVscode } from "../../support/fakeVscode.ts";
import { at, manifest } from "../../support/manifest.ts";
import { createSection, createServer } from "../../support/serverSections.ts";

describe("The row of a GPU", () => {
  let createTreeItem: typeof itemModule.createTreeItem;
  let chooseServer: typeof chooseModule.chooseServer;

  before(async () => {
    installFakeVscode();
    ({ createTreeItem } = await import("../../../src/vscode/servers/serverTreeItem.ts"));
    ({ chooseServer } = await import("../../../src/vscode/servers/chooseServer.ts"));
  });

  function rows(): readonly GpuRow[] {
    const tree = new ServerTreeRows(() => 0);
    tree.update([createSection([createServer("a")])], plainArrangement);
    const parent = tree.servers[0] ?? assert.fail();
    const sample = { name: "H100", utilizationPercent: 0, memoryUsedMiB: 70_000, memoryTotalMiB: 81_559 };
    const samples = [0, 1].map((index) => ({ index, ...sample, temperatureC: 40, powerW: 70 }));
    const holder = { memoryMiB: 70_000, name: "python3", user: "me", isOwn: true };
    const processes = [
      { ...holder, pid: 1, gpu: 0, model: "Qwen2.5-7B" },
      { ...holder, pid: 2, gpu: 1, model: undefined },
    ];
    const state = { samples, lost: [], everyMs: undefined, processes, measuredAt: 0, intervalMs: 5_000 };
    return gpuRows({ ...state, problem: undefined }).map((row) => ({
      ...{ ...row, kind: "gpu", id: row.key, parent, isOld: false },
    }));
  }

  it("offers the model that the GPU serves, in the row and in its menu, and nothing otherwise", () => {
    const entries = recordsIn(at(manifest, "contributes", "menus", "view/item/context"));
    const offered = rows().map((row) =>
      entries
        .filter(({ when }) =>
          String(when).endsWith(`viewItem == ${String(createTreeItem(row).contextValue)}`),
        )
        .map(({ command, group }) => [command, group]),
    );
    const use = commandIds.useRunningModel;
    assert.deepEqual(offered, [
      [
        [use, "inline@1"],
        [use, "1_gpu@1"],
      ],
      [],
    ]);
  });

  it("stands for its server, on which the model is looked for", async () => {
    const [row = assert.fail()] = rows();
    assert.equal(await chooseServer({} as never, row), row.parent);
  });
});
