// Part of a benchmark alone: lets VS Code's own chat ask the local gateway, whose address and key the environment
// tells.
import * as vscode from "vscode";

const { BENCH_URL, BENCH_KEY } = process.env;
const model = {
  id: "echo",
  name: "Echo",
  family: "echo",
  version: "1",
  maxInputTokens: 100_000,
  maxOutputTokens: 100_000,
  capabilities: {},
};

const provider = {
  provideLanguageModelChatInformation: () => [model],
  provideTokenCount: () => 10,
  async provideLanguageModelChatResponse(_model, messages, _options, progress, token) {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    for await (const text of answer(question(messages), abort.signal)) {
      progress.report(new vscode.LanguageModelTextPart(text));
    }
    // When this is on screen all of it is; the page's clock is the same.
    progress.report(new vscode.LanguageModelTextPart(`\n\nARRIVED-${Date.now()}-END`));
  },
};

/** What the user has typed last: the chat wraps it in much of its own. */
function question(messages) {
  const text = messages.flatMap(({ content }) => content.map((part) => part.value ?? "")).join("\n");
  return text.match(/Please write \d+ tokens/g)?.at(-1) ?? "Hello";
}

/** The texts of the deltas, as they come. */
async function* answer(prompt, signal) {
  const response = await fetch(`${BENCH_URL}/chat/completions`, {
    method: "POST",
    signal,
    headers: { authorization: `Bearer ${BENCH_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "demo-lab/echo-omni",
      stream: true,
      messages: [{ role: "user", content: prompt }],
    }),
  });
  let rest = "";
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      const text = JSON.parse(line.slice(6)).choices[0]?.delta.content;
      if (text) yield text;
    }
  }
}

export async function activate(context) {
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider("bench", provider),
    vscode.commands.registerCommand("nativeChat.ask", () =>
      vscode.commands.executeCommand("workbench.action.chat.open", {
        query: "Please write 300 tokens",
        mode: "ask",
        modelSelector: { vendor: "bench" },
      }),
    ),
  );
  await vscode.lm.selectChatModels({ vendor: "bench" });
}
