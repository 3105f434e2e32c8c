import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { resolveFile } from "../../../src/vscode/shell/fileBoundary.ts";
import { parseDroppedUris } from "../../../src/vscode/compose/attachments/panelAttachments.ts";

describe("The workspace boundary", () => {
  const configuration = () => vscode.workspace.getConfiguration("inferenceGateway");
  const made: string[] = [];
  /** The user's own prompts folder is treated like the workspace, which this suite doesn't have. */
  let folder: string;
  let links = 0;

  beforeEach(async () => {
    folder = createFolder("inside-");
    await configuration().update("chat.promptFolder", folder, vscode.ConfigurationTarget.Global);
  });

  afterEach(async () => {
    await configuration().update("chat.promptFolder", undefined, vscode.ConfigurationTarget.Global);
    for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
  });

  function createFolder(prefix: string): string {
    const path = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
    made.push(path);
    return path;
  }

  function link(target: string): vscode.Uri {
    const path = join(folder, `link-${links++}`);
    symlinkSync(target, path);
    return vscode.Uri.file(path);
  }

  it("is crossed by a link that leads outside, even to a file that doesn't exist yet", async () => {
    const outside = createFolder("outside-");
    writeFileSync(join(outside, "a.txt"), "");
    for (const target of [join(outside, "a.txt"), outside, join(outside, "later.txt")]) {
      const { real, isInside, leavesWorkspace } = await resolveFile(link(target));
      assert.deepEqual([real.fsPath, isInside, leavesWorkspace], [target, false, true]);
    }
    const below = await resolveFile(vscode.Uri.joinPath(link(outside), "new", "b.ts"));
    assert.deepEqual([below.real.fsPath, below.leavesWorkspace], [join(outside, "new", "b.ts"), true]);
  });

  it("is not crossed by a link inside the workspace, and circular links are rejected", async () => {
    const inside = await resolveFile(vscode.Uri.file(join(folder, "new", "c.ts")));
    assert.deepEqual([inside.isInside, inside.real.fsPath], [true, join(folder, "new", "c.ts")]);
    const linked = await resolveFile(link("new"));
    assert.deepEqual([linked.isInside, linked.real.fsPath], [true, join(folder, "new")]);
    const circle = await resolveFile(link(`link-${links}`));
    assert.deepEqual([circle.isInside, circle.leavesWorkspace], [false, true]);
  });

  it("lets a page name only files in file systems that the workspace uses", () => {
    const addresses = ["file:///a", "https://a.example/b", "command:x", "git:/a", "data:,a", "a b", "%"];
    assert.deepEqual(
      parseDroppedUris(addresses).map(({ scheme }) => scheme),
      ["file"],
    );
    assert.equal(parseDroppedUris(Array.from({ length: 500 }, () => "file:///a")).length, 50);
  });
});
