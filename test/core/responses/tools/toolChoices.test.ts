import assert from "node:assert/strict";
import {
  contributedTools,
  toolChoices,
  toolProvider,
} from "../../../../src/core/responses/tools/toolChoices.ts";

describe("The provider of a tool", () => {
  const manifest = (publisher: string, ...names: readonly string[]) => ({
    ...{ publisher, name: "tools", displayName: "Harmless Tools" },
    contributes: { languageModelTools: names.map((name) => ({ name })) },
  });
  const contributed = [
    manifest("Lab", "lab_add"),
    manifest("evil", "lab_twice"),
    manifest("lab", "lab_twice"),
  ].flatMap(contributedTools);

  it("is the one that VS Code names, or else the extension that declares the tool", () => {
    assert.equal(toolProvider({ name: "lab_add", source: { id: "lab.tools" } }, []), "extension:lab.tools");
    assert.equal(toolProvider({ name: "x", source: { label: "Server", name: "files" } }, []), "mcp:files");
    assert.equal(toolProvider({ name: "lab_add" }, contributed), "extension:lab.tools");
  });

  it("is distinct if two extensions declare the name", () => {
    assert.equal(toolProvider({ name: "lab_twice" }, contributed), "extension:evil.tools,lab.tools");
  });

  it("is derived from the name of an MCP tool if nothing else is known", () => {
    assert.equal(toolProvider({ name: "mcp_files_read", fullReferenceName: "files/read" }, []), "set:files");
    assert.equal(toolProvider({ name: "mcp_files_read" }, []), "mcp:files");
    assert.equal(toolProvider({ name: "run_in_terminal", fullReferenceName: "run" }, []), "");
    assert.equal(toolProvider(undefined, []), "");
  });
});

describe("The tools to choose from", () => {
  it("have readable titles, groups and icons, even without a title of their own", () => {
    const contributed = contributedTools({
      ...{ publisher: "lab", name: "tools", displayName: "Harmless Tools" },
      contributes: { languageModelTools: [{ name: "lab_add", displayName: "Add Numbers" }] },
    });
    const tools = ["run_in_terminal", "getHTMLPage", "lab_add", "mcp_files_read_all"];
    assert.deepEqual(
      toolChoices(
        tools.map((name) => ({ name })),
        contributed,
      ).map(({ title, source, icon }) => [title, source, icon]),
      [
        ["Get HTMLPage", "", "vscode"],
        ["Run in terminal", "", "vscode"],
        ["Read all", "files", "mcp"],
        ["Add Numbers", "Harmless Tools", "extensions"],
      ],
    );
  });
});
