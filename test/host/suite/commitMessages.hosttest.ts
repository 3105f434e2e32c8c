import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { EditedCode, code, end, eventually, run, send } from "./support/editedCode.ts";

describe("Editor actions in VS Code", () => {
  const edited = new EditedCode();

  describe("in Source Control", () => {
    interface Repository {
      readonly rootUri: vscode.Uri;
      readonly inputBox: { value: string };
    }

    function git(...args: readonly string[]): void {
      const identity = ["-c", "user.name=Example", "-c", "user.email=person@example.com"];
      execFileSync("git", ["-C", edited.folder, ...identity, ...args]);
    }

    /** The repository in the folder with one staged change. */
    async function openRepository(): Promise<Repository> {
      git("init", "-q");
      git("add", ".");
      git("commit", "-qm", "feat: begin");
      writeFileSync(join(edited.folder, "code.txt"), code.replace("return 2", "return 22"));
      git("add", ".");
      const extension = vscode.extensions.getExtension("vscode.git");
      const exported: { getAPI(version: 1): { readonly repositories: readonly Repository[] } } =
        await extension?.activate();
      await vscode.commands.executeCommand("git.openRepository", edited.folder);
      return await eventually("the repository", () =>
        exported
          .getAPI(1)
          .repositories.find(({ rootUri }) => basename(rootUri.fsPath) === basename(edited.folder)),
      );
    }

    afterEach(async () => {
      await vscode.commands.executeCommand("git.close", vscode.Uri.file(edited.folder));
    });

    it("write a commit message in the style of the repository", async () => {
      const { inputBox, rootUri } = await openRepository();
      edited.respondWith("```\nfix: return 22\n```");
      await run("generateCommitMessage", { rootUri });
      // VS Code reports earlier values back a moment later, in order.
      await eventually("the message", () => inputBox.value === "fix: return 22");
      assert.match(edited.asked.join("\n"), /\+  return 22;/);
      assert.match(edited.asked.join("\n"), /feat: begin/);
    });

    it("read a diff that the user's configuration colors, or has another program write", async () => {
      const { inputBox, rootUri } = await openRepository();
      edited.respondWith("fix: return 22");
      for (const [name, value] of [
        ["color.ui", "always"],
        ["diff.external", "echo"],
        ["diff.noprefix", "true"],
      ] as const) {
        edited.asked.length = 0;
        inputBox.value = "";
        git("config", name, value);
        await run("generateCommitMessage", { rootUri });
        await eventually(`the message with ${name}`, () => inputBox.value === "fix: return 22");
        assert.match(edited.asked.join("\n"), /diff --git a\/code.txt b\/code.txt/);
        assert.doesNotMatch(edited.asked.join("\n"), /\\u001b/);
      }
    });

    it("write the whole commit message when it arrives slowly, although VS Code reports its beginnings as typed", async () => {
      const { inputBox, rootUri } = await openRepository();
      const words = Array.from({ length: 40 }, (_, index) => `word${index}`);
      edited.respond = (response) => {
        const rest = [...words];
        const timer = setInterval(() => {
          const word = rest.shift();
          if (word !== undefined) return send(response, `${word} `);
          clearInterval(timer);
          end(response);
        }, 25);
      };
      await run("generateCommitMessage", { rootUri });
      await eventually("the message", () => inputBox.value === words.join(" "));
    });

    it("leave the box as it was when a message is stopped, and don't overwrite what is typed", async () => {
      const { inputBox, rootUri } = await openRepository();
      let partial = "fix: first";
      let later: (() => void) | undefined;
      edited.respond = (response) => {
        send(response, partial);
        later = () => send(response, " more");
      };
      const stopped = run("generateCommitMessage", { rootUri });
      await eventually("the first partial message", () => inputBox.value === partial);
      await run("stop", { rootUri });
      await stopped;
      await eventually("the empty box", () => inputBox.value === "");
      // A different text: VS Code may report that of the stopped request again after it was removed.
      partial = "fix: second";
      const typed = run("generateCommitMessage", { rootUri });
      await eventually("the second partial message", () => inputBox.value === partial);
      // VS Code reports a value that was set back to the extension host. Its reports have all arrived once a command of
      // the workbench has run: until then, an earlier report could replace the user's text as seen by extensions.
      await vscode.commands.executeCommand("setContext", "inferenceGateway.test.reported", true);
      inputBox.value = "mine";
      await vscode.commands.executeCommand("setContext", "inferenceGateway.test.reported", true);
      later?.();
      await typed;
      assert.equal(inputBox.value, "mine");
    });
  });
});
