import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { suiteGlob } from "../../../src/core/suites/suitePath.ts";
import { isRecord } from "../../../src/core/kernel/json.ts";
import { chatViewTypes } from "../../../src/vscode/panel/chatViewType.ts";
import { commandMenus, requiredServerFact } from "../../../src/vscode/shell/commandMenus.ts";
import { registeredName, toolNames } from "../../../src/core/agentTools/toolNames.ts";
import { agentTools, inputSchema } from "../../../src/core/agentTools/toolTable.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import { carrierOptions, readCarriers } from "../../../src/core/account/credentialPlaces.ts";
import { credentialForms } from "../../../src/core/kernel/credential.ts";
import { credentialKinds, gatewayKinds, secretKinds } from "../../../src/core/account/credentialKinds.ts";
import { commandIds, removeCommand, setCommand } from "../../../src/vscode/shell/commandIds.ts";
import { modalityFacts } from "../../../src/core/conversation/modelCatalog.ts";
import { profileFormViewType } from "../../../src/vscode/account/providerId.ts";
import { tableViewType } from "../../../src/vscode/servers/table/tableViewType.ts";

const manifest: unknown = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);
}

function records(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function names(value: unknown): readonly string[] {
  return isRecord(value) ? Object.keys(value) : [];
}

const declared = records(at(manifest, "contributes", "commands"));
const sections = records(at(manifest, "contributes", "configuration"));
const settings = sections.flatMap(({ properties }) =>
  isRecord(properties) ? Object.entries(properties) : [],
);

describe("package.json and the code", () => {
  it("declare the same commands", () => {
    assert.deepEqual(
      declared.map((command) => command["command"]).toSorted(),
      Object.values(commandIds).toSorted(),
    );
  });

  it("run the extension on the user's own machine, and on a server only for windows that have no other host", () => {
    assert.deepEqual(at(manifest, "extensionKind"), ["ui", "workspace"]);
    assert.equal(at(manifest, "capabilities", "virtualWorkspaces"), true);
  });

  it("give every command a title in the extension's category", () => {
    for (const command of declared) {
      assert.equal(command["category"], "Inference Gateway", String(command["command"]));
      assert.equal(typeof command["title"], "string");
    }
  });

  it("allow every kind of credential to be set, removed and selected for the gateway", () => {
    const options = at(manifest, "contributes", "configuration");
    const chosen = records(Array.isArray(options) ? options : [options])
      .map((section) =>
        at(
          section,
          "properties",
          "inferenceGateway.profiles",
          "items",
          "properties",
          "gatewayCredential",
          "enum",
        ),
      )
      .find((choices) => choices !== undefined);
    assert.deepEqual(chosen, gatewayKinds);
    const palette = records(at(manifest, "contributes", "menus", "commandPalette"));
    for (const kind of secretKinds) {
      const ids = declared.map(({ command }) => command);
      assert.ok(ids.includes(setCommand(kind)) && ids.includes(removeCommand(kind)), kind);
      const removal = palette.find(({ command }) => command === removeCommand(kind));
      const key = `inferenceGateway.has${credentialKinds[kind].commandName}`;
      assert.ok(String(removal?.["when"]) === "false" || String(removal?.["when"]).includes(key), kind);
    }
  });

  it("offer the options that the code reads for a profile, with every location of a token", () => {
    const options = sections
      .map((section) => at(section, "properties", "inferenceGateway.profiles", "items", "properties"))
      .find(isRecord);
    const [problem] = parseProfiles([
      {
        name: "p",
        gatewayUrl: "https://g.example",
        ...Object.fromEntries(names(options).map((name) => [name, null])),
      },
    ]).problems;
    assert.ok(!problem?.includes("isn't a profile option"), problem);
    for (const option of carrierOptions) assert.ok(names(options).includes(option), option);
    readCarriers((option, places) => {
      const offered = at(options, option, "enum");
      assert.deepEqual(Array.isArray(offered) && offered.toSorted(), [...new Set(places)].toSorted(), option);
      return places[0];
    });
  });

  it("declare the same tools for agents, with references that are unique", () => {
    const tools = records(at(manifest, "contributes", "languageModelTools"));
    assert.deepEqual(
      tools.map(({ name, modelDescription, inputSchema: schema }) => ({ name, modelDescription, schema })),
      toolNames.map((name) => ({
        name: registeredName(name),
        modelDescription: agentTools[name].description,
        schema: inputSchema(name),
      })),
    );
    assert.equal(new Set(tools.map(({ toolReferenceName }) => toolReferenceName)).size, tools.length);
  });

  it("contribute a skill whose name is that of its folder, which VS Code requires", () => {
    for (const { path } of records(at(manifest, "contributes", "chatSkills"))) {
      const text = readFileSync(new URL(`../../../${String(path)}`, import.meta.url), "utf8");
      const folder = String(path).split("/").at(-2) ?? "";
      assert.match(text, new RegExp(`^---\\nname: ${folder}\\n`));
    }
  });

  it("offer everything that a model may be declared to support", () => {
    const option = settings.find(([name]) => name === "inferenceGateway.models.capabilities")?.[1];
    const offered = names(at(option, "additionalProperties", "properties"));
    const read = Object.values(modalityFacts).map(({ setting }) => setting);
    assert.deepEqual(
      offered.toSorted(),
      [...read, "contextLength", "maxOutputTokens", "reasoning", "tools"].toSorted(),
    );
  });

  it("explain in the empty tree of servers which credential was rejected", () => {
    const conditions = records(at(manifest, "contributes", "viewsWelcome")).map(({ when }) => String(when));
    for (const kind of gatewayKinds) {
      const condition = `inferenceGateway.servers.failure == ${credentialForms[kind].refusedAs}`;
      assert.equal(conditions.filter((when) => when.endsWith(condition)).length, 1, kind);
      const others = conditions.find((when) => when.includes("!(inferenceGateway.servers.failure =~"));
      assert.ok(others?.includes(credentialForms[kind].refusedAs), kind);
    }
  });

  it("explain in the empty tree of servers which gateway credential is missing", () => {
    const conditions = records(at(manifest, "contributes", "viewsWelcome")).map(({ when }) => String(when));
    for (const kind of gatewayKinds) {
      const condition = new RegExp(
        `inferenceGateway\\.servers\\.missingCredential (?:== |=~ .*\\b)${kind}\\b`,
      );
      assert.ok(
        conditions.some((when) => condition.test(when)),
        kind,
      );
    }
  });

  it("bind keys in the extension's own tree only, without overriding others", () => {
    const bindings = records(at(manifest, "contributes", "keybindings"));
    assert.deepEqual(
      bindings.map(({ key }) => key),
      ["f2", "delete"],
    );
    for (const { when } of bindings) {
      assert.match(
        String(when),
        /^focusedView == inferenceGateway\.conversations && listFocus && !inputFocus$/,
      );
    }
  });

  it("activate the extension only when a panel is restored or the workspace has a prompt suite", () => {
    assert.deepEqual(at(manifest, "activationEvents"), [
      ...[...chatViewTypes, tableViewType, profileFormViewType].map(
        (viewType) => `onWebviewPanel:${viewType}`,
      ),
      `workspaceContains:${suiteGlob}`,
    ]);
  });

  it("offer the same menu for a server in the table and in the tree", () => {
    const offered = (menu: string, place: string): readonly unknown[] =>
      records(at(manifest, "contributes", "menus", menu))
        .filter(({ when, group }) => String(when).startsWith(place) && !String(group).startsWith("inline"))
        .filter(({ when }) => !String(when).includes("^profile"))
        .map(({ command, submenu, group }) => `${String(command ?? submenu)} ${String(group)}`)
        .toSorted();
    assert.deepEqual(
      offered("webview/context", `webviewId == '${tableViewType}'`),
      offered("view/item/context", "view == inferenceGateway.servers "),
    );
  });

  it("recognize a chat by each of its view types", () => {
    assert.doesNotMatch(JSON.stringify(manifest), /activeWebviewPanelId ==/);
  });

  it("don't let a workspace decide where credentials are sent, and don't sync settings of one machine", () => {
    const ofThisMachine = settings.filter(([, property]) => at(property, "ignoreSync") === true);
    assert.deepEqual(
      ofThisMachine.map(([name]) => name.replace("inferenceGateway.", "")),
      [
        "chat.storageFolder",
        "chat.promptFolder",
        "chat.instructions",
        "chat.recording.device",
        "requests.saved",
        "localGateway.upstream",
        "localGateway.port",
      ],
    );
    for (const [name, property] of settings) {
      // In a remote window, a setting of the scope "machine" would be the remote machine's.
      assert.equal(at(property, "scope"), "application", name);
    }
  });

  it("put settings into titled sections with unique order numbers", () => {
    assert.ok(sections.length >= 6);
    for (const { title, order } of sections) assert.ok(title !== undefined && order !== undefined);
    const orders = settings.map(([, property]) => at(property, "order"));
    assert.deepEqual(orders, [...new Set(orders)]);
    assert.deepEqual(
      sections.map(({ order }) => order),
      [...new Set(sections.map(({ order }) => order))],
    );
  });

  it("use only existing commands in menus", () => {
    const known = new Set<unknown>(Object.values(commandIds));
    const menus = at(manifest, "contributes", "menus");
    assert.ok(isRecord(menus));
    for (const entries of Object.values(menus)) {
      for (const { command, submenu } of records(entries))
        assert.ok(known.has(command) || typeof submenu === "string", String(command));
    }
  });
});

const menus = at(manifest, "contributes", "menus");
const hidden = records(at(menus, "commandPalette")).filter(({ when }) => when === "false");

/** The replacement for commands that are only in the palette: a row in a picker that isn't a command of its own. */
const takenOver: Readonly<Record<string, string>> = {
  [commandIds.removeApiKey]: "Manage Credentials…, Remove…",
  [commandIds.removeAccessKey]: "Manage Credentials…, Remove…",
  [commandIds.removeSessionToken]: "Manage Credentials…, Remove…",
  [commandIds.removeStsToken]: "Manage Credentials…, Remove…",
  [commandIds.useAsResponseFormat]: "Set Response Format…, JSON Schema in FILE",
  [commandIds.changeProposal]: "the title of the proposal's editor",
  [commandIds.showMoreConversations]: "the last row of a group of conversations",
};

/** The server fact that a menu entry requires, for a row of either the tree or the table. */
function factOf(when: unknown): string | undefined {
  return /viewItem =~ \/(?:\\\.)?(\w+)\//.exec(String(when))?.[1];
}

describe("The Command Palette", () => {
  it("has at most 35 commands", () => {
    const rows = declared.length - hidden.length;
    assert.ok(rows <= 35, `${rows} rows`);
  });

  it("hides only commands that are offered elsewhere", () => {
    assert.ok(isRecord(menus));
    const others = Object.entries(menus).filter(([menu]) => menu !== "commandPalette");
    const offered = new Set<unknown>([
      ...others.flatMap(([, entries]) => records(entries).map(({ command }) => command)),
      ...Object.values(commandMenus).flat(2),
      ...Object.keys(takenOver),
    ]);
    for (const { command } of hidden) assert.ok(offered.has(command), String(command));
  });

  it("offers to stop only while something runs, and the pickers never do", () => {
    const entries = records(at(menus, "commandPalette"));
    const stop = entries.find(({ command }) => command === commandIds.stop);
    const running = ["chat.streaming", "isEditing", "isWritingCommitMessage"];
    assert.equal(stop?.["when"], running.map((key) => `inferenceGateway.${key}`).join(" || "));
    const offered: readonly string[] = Object.values(commandMenus).flat(2);
    for (const command of [commandIds.stop, commandIds.stopEditorRequest])
      assert.ok(!offered.includes(command), command);
  });

  it("contains every picker that offers hidden commands", () => {
    const hiddenIds = new Set<unknown>(hidden.map(({ command }) => command));
    for (const name of Object.keys(commandMenus)) {
      assert.ok(isKey(commandIds, name));
      assert.ok(!hiddenIds.has(commandIds[name]), name);
    }
  });

  it("offers by keyboard what a server's menu offers, if it applies to the server", () => {
    const ofRow = [
      ...records(at(menus, "view/item/context")).filter(
        ({ when, group }) =>
          String(when).startsWith("view == inferenceGateway.servers ") &&
          !String(when).includes("^profile") &&
          !String(group).startsWith("inline"),
      ),
      ...["serverConnect", "serverCopy", "serverMark", "serverRecord"].flatMap((submenu) =>
        records(at(menus, `inferenceGateway.${submenu}`)),
      ),
    ].filter(({ command }) => command !== undefined);
    const inMenus = ofRow.map(({ command, when }) => {
      const fact = factOf(when);
      return `${String(command)} ${fact === undefined || fact === "server" ? "" : fact}`;
    });
    const inPicker = commandMenus.serverActions.flat().map((id) => `${id} ${requiredServerFact[id] ?? ""}`);
    const plain = (line: string): string => line.replace(" undefined", " ");
    assert.deepEqual(inPicker.toSorted(), inMenus.map(plain).toSorted());
  });
});

describe("Menus", () => {
  it("have at most eight entries at their first level, for rows and view titles", () => {
    const views = ["servers", "conversations", "chatView"].map((view) => `inferenceGateway.${view}`);
    const places = ["view/item/context", "view/title", "webview/context"].flatMap((menu) =>
      [...views, "inferenceGateway.serverTable", "inferenceGateway\\.chat"].map((place) => ({
        name: `${menu} of ${place}`,
        entries: records(at(menus, menu)).filter(
          ({ when, group }) => String(when).includes(place) && !/^(?:inline|navigation)/.test(String(group)),
        ),
      })),
    );
    for (const { name, entries } of places) {
      // Of two commands in the same place, such as Pin and Unpin, only one is shown.
      const shown = new Set(entries.map(({ group }) => group));
      assert.ok(shown.size <= 8, `${name}: ${shown.size}`);
    }
  });

  it("contain only submenus that exist and have entries", () => {
    assert.ok(isRecord(menus));
    const known = new Set(records(at(manifest, "contributes", "submenus")).map(({ id }) => id));
    const used = new Set(
      Object.values(menus).flatMap((entries) => records(entries).flatMap(({ submenu }) => submenu ?? [])),
    );
    assert.deepEqual([...used].toSorted(), [...known].toSorted());
    for (const id of known) assert.ok(records(menus[String(id)]).length > 0, String(id));
  });
});

const texts: unknown = JSON.parse(
  readFileSync(new URL("../../../package.nls.json", import.meta.url), "utf8"),
);

describe("The walkthrough", () => {
  const steps = records(at(manifest, "contributes", "walkthroughs")).flatMap((walkthrough) =>
    records(walkthrough["steps"]),
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
    for (const { view, when } of records(at(manifest, "contributes", "viewsWelcome")))
      assert.match(String(when), /\.areRead$|\.servers\.state == /, String(view));
  });

  it("have one primary action, a link on its own line that is shown as a button", () => {
    const welcomes = records(at(manifest, "contributes", "viewsWelcome"));
    assert.ok(welcomes.length > 10);
    for (const { contents } of welcomes) {
      const text = String(at(texts, String(contents).slice(1, -1)));
      const buttons = text.split("\n").filter((line) => /^\[[^\]]+\]\([^)]+\)$/.test(line));
      assert.equal(buttons.length, 1, `${String(contents)}: ${text}`);
    }
  });
});

function isKey<T extends object>(value: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(value, key);
}
