import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { recordsIn } from "../../../src/core/kernel/json.ts";
import { at, declared, manifest } from "../../support/manifest.ts";

const texts: unknown = JSON.parse(
  readFileSync(new URL("../../../package.nls.json", import.meta.url), "utf8"),
);

describe("The walkthrough", () => {
  const walkthroughs = recordsIn(at(manifest, "contributes", "walkthroughs"));
  const stepsOf = (id: string) =>
    walkthroughs.flatMap((walkthrough) => (walkthrough["id"] === id ? recordsIn(walkthrough["steps"]) : []));
  const steps = stepsOf("getStarted");
  const root = new URL("../../../", import.meta.url);
  const known = new Set<unknown>(declared.map(({ command }) => command)).add(
    "inferenceGateway.servers.focus",
  );

  /** The text of a description runs commands, all of which exist. */
  function checkCommands(description: unknown): void {
    const text = String(at(texts, String(description).slice(1, -1)));
    const called = [...text.matchAll(/\(command:([\w.]+)\)/g)].map(([, command]) => command);
    assert.ok(called.length > 0 && called.every((command) => known.has(command)), text);
  }

  it("has steps that are completed by what has been achieved, not by a click", () => {
    const code = readdirSync(new URL("src", root), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(new URL(`src/${name}`, root), "utf8"))
      .join("\n");
    assert.equal(steps.length, 6);
    for (const { completionEvents } of steps) {
      assert.ok(Array.isArray(completionEvents));
      const key =
        /^onContext:inferenceGateway\.(?:servers\.)?(\w+)/.exec(String(completionEvents[0]))?.[1] ?? "?";
      assert.match(code, new RegExp(`["\`.]${key}["\`]`), key);
    }
  });

  it("runs only existing commands, and describes each image in the colors of the theme", () => {
    for (const { description, media } of steps) {
      checkCommands(description);
      const image = readFileSync(new URL(String(at(media, "svg")), root), "utf8");
      assert.doesNotMatch(image, /#[0-9a-f]{3}|rgb|<script|href/i);
      assert.ok(at(texts, String(at(media, "altText")).slice(1, -1)));
    }
  });

  it("has a page for each everyday task, in both languages and with the same pictures, all of which exist", () => {
    const tasks = stepsOf("everydayTasks");
    assert.equal(tasks.length, 10);
    for (const { description, media } of tasks) {
      checkCommands(description);
      const page = new URL(String(at(media, "markdown")), root);
      const [pictures, translated] = [page, new URL(page.href.replace(/\.md$/, ".nls.zh-cn.md"))].map((url) =>
        [...readFileSync(url, "utf8").matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path = ""]) => path),
      );
      assert.deepEqual(translated, pictures);
      for (const path of pictures ?? []) assert.ok(existsSync(new URL(path, page)), path);
    }
  });

  it("has pictures of at most 300 kB together", () => {
    const folder = new URL("media/docs/images/", root);
    const sizes = existsSync(folder)
      ? readdirSync(folder).map((name) => statSync(new URL(name, folder)).size)
      : [];
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= 300_000, String(sizes));
  });
});

describe("Welcome views", () => {
  it("don't report an empty list before it was loaded", () => {
    for (const { view, when } of recordsIn(at(manifest, "contributes", "viewsWelcome")))
      assert.match(String(when), /\.areRead$|\.servers\.state == /, String(view));
  });

  it("have one primary action, a link on its own line that is shown as a button", () => {
    const welcomes = recordsIn(at(manifest, "contributes", "viewsWelcome"));
    assert.ok(welcomes.length > 10);
    for (const { contents } of welcomes) {
      const text = String(at(texts, String(contents).slice(1, -1)));
      const buttons = text.split("\n").filter((line) => /^\[[^\]]+\]\([^)]+\)$/.test(line));
      assert.equal(buttons.length, 1, `${String(contents)}: ${text}`);
    }
  });
});
