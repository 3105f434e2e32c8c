import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { findRepositoriesByCommands } from "../../../src/vscode/compose/context/gitCommands.ts";
import type { GitRepository } from "../../../src/vscode/compose/context/gitCommands.ts";

describe("A Git extension on another machine", () => {
  let folder: string;

  function git(...args: readonly string[]): string {
    const identity = ["-c", "user.name=Example", "-c", "user.email=person@example.com"];
    return execFileSync("git", ["-C", folder, ...identity, ...args], { encoding: "utf8" });
  }

  beforeEach(() => {
    // Older versions open no repositories outside the workspace.
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? tmpdir();
    folder = realpathSync(mkdtempSync(join(workspace, "repository-")));
  });

  afterEach(async () => {
    await vscode.commands.executeCommand("git.close", vscode.Uri.file(folder));
    rmSync(folder, { recursive: true, force: true });
  });

  async function findRepository(isReady: (repository: GitRepository) => boolean): Promise<GitRepository> {
    await vscode.extensions.getExtension("vscode.git")?.activate();
    await vscode.commands.executeCommand("git.openRepository", folder);
    let seen = "no repository";
    for (let attempt = 0; attempt < 600; attempt++) {
      const repositories = (await findRepositoriesByCommands()) ?? [];
      const found = repositories.find(({ name }) => name === basename(folder));
      if (found !== undefined && isReady(found)) return found;
      if (found !== undefined) seen = `${found.stagedCount} staged, ${found.changedCount} changed`;
      await vscode.commands.executeCommand("git.refresh", vscode.Uri.file(folder));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return assert.fail(`The changes weren't noticed: ${seen}.`);
  }

  /** Without details that only Git knows: hashes, modes, and the function that a hunk is in. */
  function plain(diff: string | undefined): string {
    return (diff ?? "")
      .split("\n")
      .filter((line) => !/^(?:index |new file|deleted file|similarity|rename )/.test(line))
      .map((line) => line.replace(/^(@@ .* @@).*/, "$1").replace(/,1(?= .*@@)/g, ""))
      .join("\n");
  }

  it("provides the same diff of staged and other changes as Git, through its commands", async () => {
    git("init", "-q");
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    writeFileSync(join(folder, "changed.txt"), `${lines.join("\n")}\n`);
    writeFileSync(join(folder, "deleted.txt"), "old\n");
    git("add", ".");
    git("commit", "-qm", "first");
    writeFileSync(join(folder, "changed.txt"), `${lines.with(3, "staged").join("\n")}\n`);
    writeFileSync(join(folder, "added.txt"), "new\n");
    git("add", ".");
    writeFileSync(
      join(folder, "changed.txt"),
      `${lines.with(3, "staged").with(25, "not staged").join("\n")}\n`,
    );
    writeFileSync(join(folder, "untracked.txt"), "unknown\n");
    unlinkSync(join(folder, "deleted.txt"));
    const repository = await findRepository(
      ({ stagedCount, changedCount }) => stagedCount === 2 && changedCount === 2,
    );
    const { staged, unstaged } = await repository.readChanges();
    const options = ["--no-color", "--no-ext-diff"];
    const parts = (diff: string): readonly string[] => diff.split(/^(?=diff --git)/m).toSorted();
    assert.deepEqual(parts(plain(staged)), parts(plain(git("diff", ...options, "--cached"))));
    assert.deepEqual(parts(plain(unstaged)), parts(plain(git("diff", ...options))));
    assert.equal(repository.messageBox, undefined);
  });
});
