import assert from "node:assert/strict";
import { commitMessageOf } from "../../../../src/core/compose/editor/commitRequest.ts";

describe("The commit message from a response", () => {
  it("is freed from its introduction, its fence, and what follows", () => {
    for (const response of [
      "Sure! Based on the diff:\n\n```gitcommit\nfix: use 5\n```\n",
      "Here is a commit message for the staged changes:\n\n```\nfix: use 5\n```\n\nThis follows the conventions.",
      "**Commit message:**\n\nfix: use 5",
      "```text\nfix: use 5\n```",
      "**fix: use 5**",
      '"fix: use 5"',
      "`fix: use 5`",
      "# fix: use 5",
      "Commit message: fix: use 5",
      'git commit -m "fix: use 5"',
      "This adds a check. A good message would be:\n\n```\nfix: use 5\n```",
      "Okay, let's see what has changed.\n\n```\nfix: use 5\n```",
      "Hier ist die Nachricht:\n\n```\nfix: use 5\n```\n",
      "以下是提交信息：\n\n```\nfix: use 5\n```",
      "Here are two options:\n\n```\nfix: use 5\n```\n\nor\n\n```\nfix: five\n```",
    ])
      assert.equal(commitMessageOf(response), "fix: use 5");
    for (const message of [
      "fix: use 5\n\nSuch as:\n\n```\na();\n```",
      "Fix these:\n\n- a\n- b",
      "feat(api): add b",
      '"a" and "b" are one option',
    ])
      assert.equal(commitMessageOf(message), message);
  });

  it("is freed from any introduction or heading, from what encloses it, and from remarks", () => {
    for (const response of [
      "Here's your commit message:\n\n> fix: use 5",
      "Voici le message de commit :\n\nfix: use 5",
      "提交信息：\n\nfix: use 5",
      "建议的提交信息：fix: use 5",
      "I would write:\n\n    fix: use 5",
      "## Commit Message\n\nfix: use 5",
      "# Commit message\n\n```\nfix: use 5\n```",
      "Proposed commit message: `fix: use 5`",
      "**Commit message**: fix: use 5",
      "- fix: use 5",
      "1. fix: use 5",
      "'fix: use 5'",
      "「fix: use 5」",
      "***fix: use 5***",
      "__fix: use 5__",
      "<commit_message>\nfix: use 5\n</commit_message>",
      '"""\nfix: use 5\n"""',
      "---\nfix: use 5\n---",
      "fix: use 5\n```",
      "```fix: use 5```",
      "fix: use 5\n\nLet me know if you'd like any changes!",
      "fix: use 5\n\n---\n\nThis message follows the conventions.",
    ])
      assert.equal(commitMessageOf(response), "fix: use 5", response);
  });

  it("is taken out of an object, also while it is streamed", () => {
    for (const response of [
      '{"message": "fix: use 5"}',
      '```json\n{\n  "commit_message": "fix: use 5"\n}\n```',
      'Here is the commit message:\n\n```json\n{"subject": "fix: use 5", "body": ""}\n```',
      'Here is the commit message:\n{"title": "fix: use 5"}',
      "Here is the commit message: fix: use 5",
      "Here's your commit message\n\nfix: use 5",
      "Here is the commit message.\n\n```\nfix: use 5\n```",
    ])
      assert.equal(commitMessageOf(response), "fix: use 5", response);
    assert.equal(commitMessageOf('{"subject": "Add x", "body": "Because."}'), "Add x\n\nBecause.");
    const json = '{"message": "fix: use 5"}';
    for (let length = 1; length < json.length; length++)
      assert.equal(commitMessageOf(json.slice(0, length)), undefined, json.slice(0, length));
    assert.equal(commitMessageOf('{"error": "no diff"}'), undefined);
  });

  it("keeps what only looks like such words", () => {
    for (const message of [
      "Here be dragons",
      "Commit messages are read twice",
      "No change to x",
      "It looks up x",
      "Fix: the case where a: b",
      'Revert "Add x"\n\nThis reverts commit abc.',
      "Add x\n\n- a\n- b",
      "Add x\n\nCo-authored-by: A <a@b.c>",
    ])
      assert.equal(commitMessageOf(message), message);
  });

  it("is freed from the names of its parts, and from the command", () => {
    for (const response of [
      "Summary: Add x\n\nDetails: Because.",
      'git add . && git commit -m "Add x" --message="Because."',
      "git commit -F- <<'EOF'\nAdd x\n\nBecause.\nEOF",
      "git add -A\ngit commit -m \"$(cat <<'EOF'\nAdd x\n\nBecause.\nEOF\n)\"",
      "**Subject:** Add x\n\nBody: Because.",
      "Title: Add x\n\nDescription:\nBecause.",
      '```sh\ngit commit -m "Add x" -m "Because."\n```',
      "$ git commit -m 'Add x\n\nBecause.'",
    ])
      assert.equal(commitMessageOf(response), "Add x\n\nBecause.");
  });

  it("is undefined if the model only apologizes or asks for the diff", () => {
    for (const response of [
      "I'm sorry, I can't see the diff.",
      "I don't see any changes in the diff.",
      "There are no changes to commit.",
      "No changes detected.",
      "Please provide the diff.",
      "It looks like the diff is empty. Please provide the changes.",
      "没有检测到更改。",
    ])
      assert.equal(commitMessageOf(response), undefined);
  });

  it("is the content of the only code block", () => {
    assert.equal(
      commitMessageOf("Here it is:\n\n```text\nAdd x\n\nBecause.\n```\nDone."),
      "Add x\n\nBecause.",
    );
    assert.equal(commitMessageOf("~~~\nAdd x\n~~~"), "Add x");
  });

  it("is the whole response if there is no block or more than one", () => {
    assert.equal(commitMessageOf(" Add x\n"), "Add x");
    assert.match(commitMessageOf("```\na\n```\n```\nb\n```") ?? "", /^```/);
  });

  it("is undefined if the response is empty or far too long", () => {
    assert.equal(commitMessageOf("```\n```"), undefined);
    assert.equal(commitMessageOf(" "), undefined);
    assert.equal(commitMessageOf("x".repeat(20_000)), undefined);
  });
});
