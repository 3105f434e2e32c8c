import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { attachFiles } from "../../../src/vscode/compose/context/attachFiles.ts";
import { assertLawful } from "../../support/strictServer.ts";
import { EditedCode, eventually } from "./support/editedCode.ts";

const jpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 0x10, 0x4a, 0x46, 0x49, 0x46]);
const { User, Assistant } = vscode.LanguageModelChatMessageRole;

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

describe("Requests through VS Code's language model API", () => {
  const edited = new EditedCode();

  async function model(): Promise<vscode.LanguageModelChat> {
    let found: readonly vscode.LanguageModelChat[] = [];
    await eventually("the model", () => {
      void vscode.lm.selectChatModels({ family: "lab/editor" }).then((models) => (found = models));
      return found[0];
    });
    return found[0] ?? assert.fail();
  }

  it("are accepted by a strict server: parallel results with images, prompt elements, half an emoji", async () => {
    edited.respondWith("Fine.");
    const call = (id: string) => new vscode.LanguageModelToolCallPart(id, "look", { at: id });
    const result = (id: string, ...content: readonly unknown[]) =>
      new vscode.LanguageModelToolResultPart(id, [...content]);
    const element = { node: { type: 1, children: [{ type: 2, text: "hello from tsx" }] } };
    const messages = [
      new vscode.LanguageModelChatMessage(User, "go \ud83d"),
      new vscode.LanguageModelChatMessage(Assistant, [call("a"), call("b"), call("lost")]),
      new vscode.LanguageModelChatMessage(User, [
        result("a", new vscode.LanguageModelDataPart(jpeg, "image/png")),
      ]),
      new vscode.LanguageModelChatMessage(User, [
        result("b", new vscode.LanguageModelPromptTsxPart(element)),
      ]),
      new vscode.LanguageModelChatMessage(User, [
        new vscode.LanguageModelTextPart("Look at"),
        new vscode.LanguageModelTextPart("this"),
        new vscode.LanguageModelDataPart(new TextEncoder().encode("%PDF-1.7"), "application/pdf"),
      ]),
    ];
    const response = await (await model()).sendRequest(messages);
    for await (const part of response.stream) void part;
    const json = edited.asked.at(-1) ?? "";
    assertLawful(json);
    const sent: Sent = JSON.parse(json);
    assert.deepEqual(
      sent.messages.map(({ role }) => role),
      ["user", "assistant", "tool", "tool", "user", "user"],
    );
    assert.equal(sent.messages[3]?.content, "hello from tsx");
    assert.match(JSON.stringify(sent.messages[4]), /data:image\/jpeg;base64,/);
    assert.match(String(sent.messages[5]?.content), /^Look at\nthis\n\(8 bytes of application\/pdf/);
  });

  it("have the text of the resources that an MCP server embeds, or the address of one that can't be read", async () => {
    edited.respondWith("Fine.");
    const file = vscode.Uri.file(join(edited.folder, "guide.md"));
    writeFileSync(file.fsPath, "Limits: 4711 rows.");
    // The form in which VS Code passes the content of a result of its own MCP client.
    const link = (uri: unknown) =>
      new vscode.LanguageModelDataPart(
        new TextEncoder().encode(JSON.stringify({ uri, underlyingMimeType: "text/markdown" })),
        "application/vnd.code.resource-link",
      );
    const gone = vscode.Uri.from({ scheme: "mcp-resource", authority: "lab", path: "/gone.md" });
    const result = new vscode.LanguageModelToolResultPart("a", [link(file.toJSON()), link(gone.toString())]);
    const messages = [
      new vscode.LanguageModelChatMessage(User, "go"),
      new vscode.LanguageModelChatMessage(Assistant, [new vscode.LanguageModelToolCallPart("a", "look", {})]),
      new vscode.LanguageModelChatMessage(User, [result]),
    ];
    const response = await (await model()).sendRequest(messages);
    for await (const part of response.stream) void part;
    const sent: Sent = JSON.parse(edited.asked.at(-1) ?? "");
    const content = String(sent.messages.find(({ role }) => role === "tool")?.content);
    assert.match(content, /Limits: 4711 rows\./);
    assert.match(content, /links to mcp-resource:\/\/lab\/gone\.md, text\/markdown, which can't be read/);
  });

  it("are counted with the data that is sent as text", async () => {
    const records = Array.from({ length: 5_000 }, (_, id) => ({ id, name: `n${id}` }));
    const data = vscode.LanguageModelDataPart.json(records);
    const result = new vscode.LanguageModelToolResultPart("1", [data]);
    for (const part of [data, result]) {
      const count = await (await model()).countTokens(new vscode.LanguageModelChatMessage(User, [part]));
      assert.ok(count > 40_000, String(count));
    }
  });

  it("have an open notebook as its cells, with what isn't saved yet", async () => {
    const uri = vscode.Uri.file(join(edited.folder, "plot.ipynb"));
    const cell = { cell_type: "code", metadata: {}, source: ["a = 1"], outputs: [], execution_count: null };
    const saved = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 };
    writeFileSync(uri.fsPath, JSON.stringify(saved));
    const notebook = await vscode.workspace.openNotebookDocument(uri);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(notebook.cellAt(0).document.uri, new vscode.Position(0, 5), "0 # unsaved");
    await vscode.workspace.applyEdit(edit);
    const { parts } = await attachFiles([uri], "page");
    const [part] = parts;
    assert.ok(part?.type === "text");
    assert.match(part.text, /^Notebook `.*plot\.ipynb`:\n\nCell 1:\n\n```python\na = 10 # unsaved\n```$/);
    await notebook.save();
  });
});
