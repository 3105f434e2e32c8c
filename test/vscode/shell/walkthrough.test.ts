import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { recordsIn } from "../../../src/core/kernel/json.ts";
import { at, declared, manifest } from "../../support/manifest.ts";

const texts: unknown = JSON.parse(
  readFileSync(new URL("../../../package.nls.json", import.meta.url), "utf8"),
);

describe("The walkthrough", () => {
  const steps = recordsIn(at(manifest, "contributes", "walkthroughs")).flatMap((walkthrough) =>
    recordsIn(walkthrough["steps"]),
  );
  const root = new URL("../../../", import.meta.url);

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
    const known = new Set<unknown>(declared.map(({ command }) => command)).add(
      "inferenceGateway.servers.focus",
    );
    for (const { description, media } of steps) {
      const text = String(at(texts, String(description).slice(1, -1)));
      const called = [...text.matchAll(/\(command:([\w.]+)\)/g)].map(([, command]) => command);
      assert.ok(called.length > 0 && called.every((command) => known.has(command)), text);
      const image = readFileSync(new URL(String(at(media, "svg")), root), "utf8");
      assert.doesNotMatch(image, /#[0-9a-f]{3}|rgb|<script|href/i);
      assert.ok(at(texts, String(at(media, "altText")).slice(1, -1)));
    }
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
