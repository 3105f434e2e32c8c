import assert from "node:assert/strict";
import MarkdownIt from "markdown-it";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import {
  fittingAttachments,
  isAttachedByUser,
  latestTurns,
  modelsText,
  mostAttached,
  isServerQuestion,
  serversText,
} from "../../../src/core/agentTools/participantText.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { createSection, createServer, createServers } from "../../support/serverSections.ts";

const fact = (value: string) => ({ value, source: "x" });
/** Everything that means something in a table, in Markdown or in VS Code's own Markdown. */
const nasty = "a | b\n\n# [x](command:evil) ![y](https://evil.example/p.png) <img src=x> $(trash) `c` **d**";

/** The cells of the only table, and everything that was rendered. */
function render(text: string): { readonly rows: readonly (readonly string[])[]; readonly html: string } {
  const html = new MarkdownIt({ html: true }).render(text);
  const rows = [...html.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row = ""]) =>
    [...row.matchAll(/<t[hd]>([^]*?)<\/t[hd]>/g)].map(([, cell = ""]) => cell),
  );
  return { rows, html };
}

describe("The table of servers in a chat", () => {
  it("shows the servers that match the filter of the tree", () => {
    const { rows, html } = render(
      serversText([createSection(createServers(12))], "status:running gpu:h100", "en"),
    );
    assert.match(html, /2 of 12 servers match/);
    assert.deepEqual(rows[0], ["Name", "Status, Price, GPU, Region"]);
    assert.equal(rows.length, 3);
    for (const row of rows.slice(1)) assert.match(row.join(" "), /^trainer-\d+ running · \dx H100 · eu-\d$/);
  });

  it("isn't asked for by a question, which goes to the model", () => {
    const sections = [createSection(createServers(12))];
    const isQuestion = (text: string): boolean => isServerQuestion(sections, text);
    for (const text of ["which are running?", "are they all idle", "trainer?", "哪些服务器在运行？"])
      assert.ok(isQuestion(text), text);
    for (const text of ["", "running", "h100 running", "nothing", "status:failed gpu:h100", "gpu:h100?"])
      assert.ok(!isQuestion(text), text);
  });

  it("is bounded, and shows how many are left out", () => {
    const { rows, html } = render(serversText([createSection(createServers(2_000))], "", "en"));
    assert.equal(rows.length, 51);
    assert.match(html, /2,000 servers/);
    assert.match(html, /Shown only in the server table: 1,950/);
  });

  it("renders names from the cloud literally, each in its cell", () => {
    const server = createServer("a", { name: fact(nasty), gpu: fact(nasty), region: fact("eu|1") });
    const error = new ServiceError({ reason: "service", message: `Down: ${nasty}` });
    const section = createSection([server], { error: error.facts }, { profileName: nasty });
    const { rows, html } = render(serversText([section, createSection([])], nasty, "en"));
    assert.doesNotMatch(html, /<(?:a|img|strong|h1|code)\b/);
    for (const row of rows) assert.equal(row.length, 2);
    const shown = render(serversText([section, createSection([])], "", "en"));
    assert.doesNotMatch(shown.html, /<(?:a|img|strong|h1|code)\b/);
    assert.deepEqual(
      shown.rows.map(({ length }) => length),
      [2, 2],
    );
  });

  it("has a table with a heading for each profile if there are several, because a narrow chat fits two columns", () => {
    const [first, second] = ["Lab", "Farm #"].map((profileName) =>
      createSection([createServer("a"), createServer("b")], {}, { profileName }),
    );
    assert.ok(first && second);
    const { rows, html } = render(serversText([first, second], "", "en"));
    assert.deepEqual(html.match(/<h4>[^<]*/g), ["<h4>Lab", "<h4>Farm #"]);
    assert.equal(rows.length, 6);
    assert.doesNotMatch(serversText([first], "", "en"), /Lab/);
  });

  it("contains no secret of a record, and no record", () => {
    const server = createServer("a", {
      name: fact("sk-proj-abcdefghijklmnopqrstuvwxyz123456"),
      record: { password: "canary-password" },
    });
    const text = serversText([createSection([server])], "", "en");
    assert.doesNotMatch(text, /canary|abcdefghijkl/);
  });

  it("explains that there are none, and why a list is missing", () => {
    assert.match(serversText([createSection([])], "", "en"), /There are no GPU servers/);
    const error = new ServiceError({ reason: "service", message: "The gateway can't be reached." });
    const text = serversText([createSection([], { error: error.facts })], "", "en");
    assert.match(text, /- Lab: The gateway can't be reached\./);
  });
});

describe("The table of models in a chat", () => {
  const { profiles } = parseProfiles([{ name: "Lab", inferenceBaseUrl: "https://lab.example/v1" }]);
  const [profile] = profiles;
  assert.ok(profile !== undefined);
  const options = { prices: { "org/small": { input: 1, output: 2, currency: "USD" } }, locale: "en" };

  it("shows context, inputs and prices in two columns, without what is unknown", () => {
    const models = [
      { id: "org/small", contextLength: 8_000 },
      { id: "org/eyes", supportsImages: true },
    ];
    const { rows } = render(modelsText([{ profile, models }], "", options));
    assert.deepEqual(rows.slice(1), [
      ["<code>org/small</code>", "8,000 tokens · text · $1.00 / $2.00"],
      ["<code>org/eyes</code>", "text, image"],
    ]);
    const others = { profile: { ...profile, name: "Other *lab*" }, models: [{ id: "org/small" }] };
    const several = render(modelsText([{ profile, models }, others], "", options));
    assert.deepEqual(several.html.match(/<h4>[^]*?<\/h4>/g), ["<h4>Lab</h4>", "<h4>Other *lab*</h4>"]);
    assert.equal(several.rows.length, 5);
    assert.match(modelsText([{ profile, models }], "EYES org", options), /1 of 2 models match/);
  });

  it("renders model names literally, each in its cell", () => {
    const { rows, html } = render(modelsText([{ profile, models: [{ id: nasty }] }], "", options));
    assert.doesNotMatch(html, /<(?:a|img|strong|h1)\b/);
    assert.deepEqual(
      rows.map(({ length }) => length),
      [2, 2],
    );
  });

  it("explains what to do if there are none", () => {
    assert.match(modelsText([], "", options), /Set an API key/);
  });
});

describe("The earlier turns of a question", () => {
  it("are the latest ones that fit, in order", () => {
    const turn = (text: string) => ({ role: "user", text }) as const;
    assert.deepEqual(latestTurns([turn("a"), turn(""), turn("b")]), [turn("a"), turn("b")]);
    assert.equal(latestTurns(Array.from({ length: 30 }, (_, index) => turn(String(index)))).length, 10);
    assert.deepEqual(latestTurns([turn("old"), turn("x".repeat(19_999)), turn("y")]), [
      turn("x".repeat(19_999)),
      turn("y"),
    ]);
  });

  it("keeps a model's ID in its cell, however it combines backslashes and bars", () => {
    const [profile] = parseProfiles([
      { name: "Cloud", inferenceBaseUrl: "https://cloud.example/v1" },
    ]).profiles;
    assert.ok(profile);
    const id = String.raw`a\|[x](https://evil.example)\\|![y](https://evil.example/p.png)`;
    const text = modelsText([{ profile, models: [{ id }] }], "", { prices: {}, locale: "en" });
    const { rows, html } = render(text);
    assert.doesNotMatch(html, /<(?:a|img)\b/);
    // VS Code's reader of Markdown counts the backslashes before a bar.
    assert.doesNotMatch(text, /\\\\\|/);
    assert.deepEqual(
      rows.map(({ length }) => length),
      [2, 2],
    );
  });
});

describe("What is attached to a question in a chat", () => {
  it("is distinguished from what VS Code adds itself", () => {
    const ids = ["vscode.implicit.viewport", "vscode.prompt.instructions__file:///a.md", "file:///a.ts"];
    assert.deepEqual(
      ids.filter((id) => isAttachedByUser({ id })),
      ["file:///a.ts"],
    );
    assert.equal(isAttachedByUser({ id: "vscode.implicit.file", range: [0, 5] }), true);
  });

  it("is sent up to a limit, without what exceeds it", () => {
    const long = "x".repeat(mostAttached - 1);
    assert.deepEqual(fittingAttachments(["a", long, "b"]), ["a", long]);
    assert.deepEqual(fittingAttachments([`${long}xx`, "b"]), ["b"]);
  });
});
