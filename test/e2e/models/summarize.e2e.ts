import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { shareWindow } from "../../host/sharedWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import { readRequestBody, startServer } from "../../support/httpServer.ts";
import type { TestServer } from "../../support/httpServer.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

describe("A conversation that is too long for its model", () => {
  let server: TestServer;
  let workbench: Workbench;
  const asked: Asked[] = [];

  shareWindow(
    root,
    async () => {
      server = await startServer(async (request, response) => {
        if (request.method === "GET") return void response.end('{"data":[{"id":"lab/short"}]}');
        const body: Asked = JSON.parse(await readRequestBody(request));
        asked.push(body);
        const isTooLong = body.messages.length > 2 && !JSON.stringify(body).includes("a summary of it all");
        if (isTooLong)
          return void response
            .writeHead(400)
            .end(
              '{"error":{"code":"context_length_exceeded","message":"maximum context length is 50 tokens"}}',
            );
        const isSummary = body.messages.at(-1)?.content.includes("Summarize the conversation above") === true;
        const content = isSummary ? "This is a summary of it all." : `Reply ${asked.length}`;
        response.end(JSON.stringify({ choices: [{ message: { content }, finish_reason: "stop" }] }));
      });
      return {
        "inferenceGateway.profiles": [{ name: "Short", inferenceBaseUrl: `${server.url}/v1` }],
        "inferenceGateway.chat.generateTitles": false,
      };
    },
    (window) => void ({ workbench } = window),
  );

  after(() => server.close());

  it("continues in a new one that starts with the model's summary, and stays unchanged", async () => {
    const chat = await workbench.newChat();
    await chat.send("The first question");
    await chat.articles.nth(1).getByText("Reply 1").waitFor();
    await chat.send("The second question");
    await chat.frame.getByRole("button", { name: "Summarize and Continue" }).click();
    await workbench.editorTab("(2)").waitFor();
    const next = workbench.chatView();
    await next.frame.getByText("This is a summary of it all.").waitFor();
    await next.articles.nth(3).getByText("Reply 4").waitFor();
    assert.deepEqual(
      asked.map(({ model }) => model),
      Array.from({ length: 4 }, () => "lab/short"),
    );
    assert.ok(asked[2]?.messages[0]?.content.includes("The first question"));
    assert.deepEqual(
      asked[3]?.messages.map(({ role }) => role),
      ["user", "assistant", "user"],
    );
    assert.equal(asked[3]?.messages.at(-1)?.content, "The second question");
  });
});
