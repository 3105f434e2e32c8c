import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { isRecord, recordsIn } from "../../../src/core/kernel/json.ts";
import { chatViewTypes } from "../../../src/vscode/panel/chatViewType.ts";
import { registeredName, toolNames } from "../../../src/core/agentTools/toolNames.ts";
import { agentTools, inputSchema } from "../../../src/core/agentTools/toolTable.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import { carriers } from "../../../src/core/account/credentialPlaces.ts";
import { credentialForms } from "../../../src/core/kernel/credential.ts";
import { gatewayKinds } from "../../../src/core/account/credentialKinds.ts";
import { commandIds } from "../../../src/vscode/shell/commandIds.ts";
import { modalityFacts } from "../../../src/core/conversation/modelCatalog.ts";
import { profileFormViewType } from "../../../src/vscode/account/viewType.ts";
import { costsViewType, tableViewType } from "../../../src/vscode/servers/serversHost.ts";
import { at, declared, manifest, names, sections, settings } from "../../support/manifest.ts";

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

  it("have a setting in each section, an entry in each menu, and a menu for each submenu", () => {
    assert.ok(sections.length > 3);
    for (const section of sections)
      assert.notDeepEqual(names(at(section, "properties")), [], String(at(section, "title")));
    const menus = at(manifest, "contributes", "menus");
    assert.ok(names(menus).length > 3);
    for (const menu of names(menus)) assert.notDeepEqual(at(menus, menu), [], menu);
    const submenus = recordsIn(at(manifest, "contributes", "submenus")).map(({ id }) => String(id));
    assert.deepEqual(
      submenus.filter((id) => !names(menus).includes(id)),
      [],
    );
  });

  it("allow every kind of credential to be selected for the gateway", () => {
    const options = at(manifest, "contributes", "configuration");
    const chosen = recordsIn(Array.isArray(options) ? options : [options])
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
    for (const [option, choices] of Object.entries(carriers))
      assert.deepEqual(at(options, option, "enum"), choices, option);
  });

  it("declare the same tools for agents, with references that are unique", () => {
    const tools = recordsIn(at(manifest, "contributes", "languageModelTools"));
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
    for (const { path } of recordsIn(at(manifest, "contributes", "chatSkills"))) {
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
    const conditions = recordsIn(at(manifest, "contributes", "viewsWelcome")).map(({ when }) => String(when));
    for (const kind of gatewayKinds) {
      const condition = `inferenceGateway.servers.failure == ${credentialForms[kind].refusedAs}`;
      assert.equal(conditions.filter((when) => when.endsWith(condition)).length, 1, kind);
      const others = conditions.find((when) => when.includes("!(inferenceGateway.servers.failure =~"));
      assert.ok(others?.includes(credentialForms[kind].refusedAs), kind);
    }
  });

  it("explain in the empty tree of servers which gateway credential is missing", () => {
    const conditions = recordsIn(at(manifest, "contributes", "viewsWelcome")).map(({ when }) => String(when));
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
    const bindings = recordsIn(at(manifest, "contributes", "keybindings"));
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

  it("activate the extension when VS Code has started, for its links, and when a panel is restored", () => {
    assert.deepEqual(at(manifest, "activationEvents"), [
      "onStartupFinished",
      "onUri",
      ...[...chatViewTypes, tableViewType, costsViewType, profileFormViewType].map(
        (viewType) => `onWebviewPanel:${viewType}`,
      ),
    ]);
  });

  it("offer the same menu for a server in the table and in the tree", () => {
    const offered = (menu: string, place: string): readonly unknown[] =>
      recordsIn(at(manifest, "contributes", "menus", menu))
        .filter(({ when, group }) => String(when).startsWith(place) && !String(group).startsWith("inline"))
        .filter(({ when }) => !/\^(?:profile|job)|viewItem == (?:port|gpu)/.test(String(when)))
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
        "activeProfile",
        "chat.promptFolder",
        "chat.instructions",
        "servers.actions",
        "localGateway.startAutomatically",
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
      for (const { command, submenu } of recordsIn(entries))
        assert.ok(known.has(command) || typeof submenu === "string", String(command));
    }
  });
});
