import { fileURLToPath } from "node:url";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tools = fileURLToPath(new URL("../fixtures/tool-extension", import.meta.url));

describe("The results of an MCP server in a chat", () => {
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    const settings = { "chat.disableAIFeatures": false };
    window = await TestWindow.open({ server: { extensions: [tools], settings }, extension: root });
    workbench = window.workbench;
    const { quickInput } = workbench;
    await workbench.startChat();
    await workbench.runCommand("Inference Gateway: Select Model…");
    await quickInput.pick("demo-lab/tool-caller");
    await workbench.runCommand("MCP: List Servers");
    await quickInput.pick("Stand-in Server");
    await quickInput.pick("Start Server");
    await workbench.page.getByText("Discovered 3 tools").waitFor();
    await workbench.chatView().frame.getByRole("button", { name: "More actions" }).click();
    await workbench.chatView().frame.getByRole("button", { name: "Select Tools" }).click();
    for (const label of ["Standin embedded", "Standin linked", "Standin lost"]) {
      await quickInput.input.fill(label);
      await quickInput.tick(label);
    }
    await quickInput.input.press("Enter");
    await workbench.chatView().frame.getByRole("button", { name: "Select Tools: 3 selected" }).waitFor();
  });

  after(() => window.close());

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  /** The stand-in model repeats the results that it receives. */
  for (const [name, what, words] of [
    ["standin_embedded", "the text of an embedded resource", /The file follows\.[^]*The port is 4711\./],
    ["standin_linked", "the text behind a link", /max_rows = 4712/],
    ["standin_lost", "the address of what can't be read", /files\/lost\.md.*text\/markdown/],
  ] as const)
    it(`bring the model ${what}`, async () => {
      const chat = workbench.chatView();
      await chat.send(`Please use ${await nameOf(name)}`);
      const card = chat.frame.getByRole("group", { name: new RegExp(`^Tool .*${name}$`) }).last();
      await card.getByRole("button", { name: "Review and Run…" }).click();
      await workbench.answerDialog("Allow Once");
      await card.locator("summary").filter({ hasText: /done/ }).waitFor();
      await chat.lastArticle.getByText(words).waitFor();
      await chat.waitUntilAnswered();
    });

  /** VS Code puts a prefix with a part of the server's name before the name of the tool. */
  async function nameOf(tool: string): Promise<string> {
    return `mcp_stand-in_serv_${tool}`;
  }
});
