import type { ToWebview } from "../../../src/core/panel/protocol.ts";
import { createMessage, createSnapshot } from "./chatPageDriver.ts";
import type { ChatPageDriver } from "./chatPageDriver.ts";
import { busySnapshot, showcase } from "./samples.ts";

/** A state of the page. Controls are found by class, because the page may be in any language. */
export interface PageState {
  readonly name: string;
  readonly messages: readonly ToWebview[];
  /** What the user does after that. */
  act?(driver: ChatPageDriver): Promise<void>;
  /** What has to be visible before the state is checked. */
  readonly awaited?: string;
}

const notes = `A note[^1], $x^2$ and a wide formula:

$$ f(x) = ${"a_0 + ".repeat(60)} 1 $$

![A cat](https://pictures.example/cat.png) [https://bank.example](https://evil.example)

\`\`\`ts src/a.ts
const a = 1;
\`\`\`

\`\`\`mermaid
flowchart LR
  A --> B
\`\`\`

$\\frac{broken$

[^1]: The note.
`;

/** A PNG image of one pixel. */
const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const json_schema = { name: "order", schema: { type: "object" }, strict: true };
const responseFormat = { type: "json_schema", json_schema };

const question = createMessage({ id: "q", role: "user", text: "What is the weather?" });
const toolCalls = createMessage({
  id: "a",
  finishReason: "tool_calls",
  toolCalls: [
    { id: "1", name: "weather_of_a_city", arguments: '{"city":"Kyiv","days":2}' },
    { id: "2", name: "clock", arguments: "{" },
  ],
});
const toolResult = createMessage({
  id: "r",
  role: "tool",
  toolCallId: "2",
  finishReason: "done",
  text: "noon",
  timing: { totalMs: 2_400 },
});

const snapshot = (parts: Parameters<typeof createSnapshot>[0] = {}): ToWebview => ({
  type: "snapshot",
  snapshot: createSnapshot(parts),
});

/** Clicks something that a narrow page may have hidden behind "+". */
const click =
  (selector: string) =>
  async ({ page }: Pick<ChatPageDriver, "page">): Promise<void> => {
    const target = page.locator(selector).first();
    if (!(await target.isVisible())) await page.locator(".bar-controls > .icon-button").click();
    await target.click();
  };

/** Every state that users encounter, each in its worst case for space. */
export const pageStates: readonly PageState[] = [
  { name: "an empty conversation", messages: [snapshot()] },
  {
    name: "everything that a message can show",
    messages: [{ type: "snapshot", snapshot: busySnapshot }],
    awaited: ".hljs-keyword",
  },
  {
    name: "a streaming answer, a stopped one and a retry",
    // The countdown begins when the state is shown.
    get messages() {
      return [
        snapshot({
          isStreaming: true,
          retry: {
            attempt: 2,
            maxAttempts: 5,
            dueAt: Date.now() + 60_000,
            messageId: "2",
            error: {
              reason: "unavailable",
              message: "The server is overloaded.",
              statusCode: 503,
              request: "POST https://lab.test/v1/chat/completions",
            },
          },
          messages: [
            createMessage({ id: "1", text: showcase, status: "stopped" }),
            createMessage({ id: "2", status: "streaming" }),
          ],
        }),
      ];
    },
    awaited: ".hljs-keyword",
  },
  {
    name: "math, notes, a picture, a diagram and their mistakes",
    messages: [snapshot({ messages: [createMessage({ id: "1", text: notes })] })],
    awaited: ".diagram-image",
  },
  {
    name: "answers side by side",
    messages: [
      snapshot({
        isStreaming: true,
        messages: [
          createMessage({ id: "q", role: "user", text: "Which?" }),
          createMessage({ id: "1", model: "lab/a", text: showcase }),
          createMessage({ id: "2", model: "lab/b", status: "streaming" }),
          createMessage({
            id: "3",
            model: "lab/c",
            status: "failed",
            error: { reason: "unavailable", message: "Busy." },
          }),
        ],
        comparison: ["1", "2", "3"],
      }),
    ],
    awaited: ".hljs-keyword",
  },
  {
    name: "nothing but a set-up notice",
    messages: [
      snapshot({
        setup: { message: "There is no profile.", actions: ["addProfile"] },
      }),
    ],
  },
  {
    name: "a model that can neither see nor hear",
    messages: [
      snapshot({
        picker: {
          state: "ready",
          models: [{ id: "lab/blind", supportsImages: false }],
          selected: "lab/blind",
        },
      }),
      {
        type: "files",
        files: [
          {
            name: "a.png",
            data: dot,
          },
        ],
        problems: [
          "b.bin isn't a supported file. Supported types: text, image (PNG, JPEG, WebP, GIF), and audio (WAV, MP3).",
        ],
      },
    ],
    awaited: ".tray-item",
  },
  {
    name: "attachments of a sent message",
    messages: [
      snapshot({
        messages: [
          createMessage({
            id: "s",
            role: "user",
            text: "Look.",
            attachments: [
              { type: "image", mediaType: "image/png", data: dot, title: "dot.png" },
              { type: "audio", format: "wav", data: "UklGRg==", title: "hum.wav" },
              { type: "text", text: "const a = 1;", title: "src/a/long/path/to/the/file.ts:1-20" },
            ],
          }),
        ],
      }),
    ],
    awaited: ".sent-attachments",
  },
  {
    name: "a message that is held back",
    messages: [
      snapshot(),
      {
        type: "sendState",
        held: {
          questionId: 7,
          isFromComposer: true,
          question: {
            kind: "secrets",
            message: "This message appears to contain a secret. Nothing has been sent yet.",
            facts: [{ label: "GITHUB TOKEN", value: "ghp_…Ux in your message" }],
            choices: [
              { id: "mask", label: "Mask and Send" },
              { id: "send", label: "Send Anyway" },
              { id: "cancel", label: "Cancel" },
            ],
          },
        },
      },
    ],
    awaited: ".held [role=alertdialog]",
  },
  {
    name: "a queue that is held",
    messages: [
      snapshot({
        messages: [question],
        queue: {
          hold: "You stopped the response. Queued messages are sent after the next complete response.",
          messages: [
            {
              id: "1",
              text: "Then plot it. ".repeat(20),
              attachments: ["a_file_with_a_long_name.md", "cat.png"],
            },
            { id: "2", text: "a".repeat(200), attachments: [] },
          ],
        },
      }),
    ],
    awaited: ".queue li",
  },
  {
    name: "the settings of a conversation",
    messages: [
      { type: "preferences", preferences: { presets: [], prices: {} } },
      snapshot({ settings: { systemPrompt: "Be brief." } }),
    ],
    act: async ({ page }) => {
      await click(".settings-button")({ page });
      await page.locator("#setting-temperature").fill("hot");
      await page.locator("dialog .primary").last().click();
    },
    awaited: "dialog[open]",
  },
  {
    name: "the parts of the next request",
    messages: [
      snapshot({
        settings: { parameters: { response_format: responseFormat, seed: 7 }, tools: ["weather"] },
      }),
      {
        type: "meter",
        reading: {
          parts: { system: 100, history: 80_000, files: 1200, images: 85, audio: 70, tools: 900, draft: 0 },
          factor: 1,
          contextLength: 32_000,
          reserved: 4_000,
        },
      },
    ],
    act: click(".meter-button"),
    awaited: ".meter-details dl",
  },
  {
    name: "suggestions in the composer",
    messages: [snapshot()],
    act: async (driver) => {
      await driver.page.locator(".composer textarea").pressSequentially("#");
      const queryId = await driver.page
        .waitForFunction(() => {
          const asked = globalThis.posted.findLast((message) => message.type === "suggest");
          return asked?.type === "suggest" ? asked.queryId : undefined;
        })
        .then((handle) => handle.jsonValue());
      await driver.send({
        type: "suggestions",
        queryId: queryId ?? 0,
        items: [
          { id: "1.0", label: "File…", detail: "#file:", icon: "file", narrowsTo: "file:" },
          {
            id: "1.1",
            label: "Selection",
            detail: "Nothing is selected in a/long/path/to/the/file.ts.",
            icon: "list-selection",
            isUnavailable: true,
          },
        ],
      });
    },
    awaited: "[role=option]",
  },
  {
    name: "tools that wait for the user, and one that has run",
    messages: [
      snapshot({ isStreaming: true, messages: [question, toolCalls, toolResult] }),
      { type: "tools", tools: { calls: [{ messageId: "a", callId: "1", state: "confirming" }] } },
    ],
    awaited: ".tool-state",
  },
  {
    name: "tools at the limit of their rounds",
    messages: [
      snapshot({ messages: [question, toolCalls, toolResult] }),
      { type: "tools", tools: { calls: [], limit: { messageId: "a", rounds: 8 } } },
    ],
    awaited: ".tool-state",
  },
  {
    name: "JSON that breaks its schema",
    messages: [
      snapshot({
        settings: { parameters: { response_format: responseFormat } },
        messages: [
          createMessage({
            id: "j",
            text: '{"a":{"b":[1,{"deep":null}]}}',
            settings: { parameters: { response_format: responseFormat } },
          }),
        ],
      }),
      {
        type: "answerChecked",
        messageId: "j",
        check: {
          state: "invalid",
          problems: [{ path: "/a/b/1/deep", message: "must be of type string" }],
          more: 3,
        },
      },
    ],
    act: async ({ page }) => {
      for (const button of await page.locator(".structured .buttons button").all()) {
        if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
      }
    },
    awaited: ".structured-problems",
  },
  {
    name: "a message that is written anew",
    messages: [snapshot({ messages: [question, createMessage({ id: "x", text: "Sunny." })] })],
    act: async ({ page }) => {
      await page.locator(".composer textarea").press("ArrowUp");
    },
    awaited: ".message-editor",
  },
];

/** Brings the page into the state and opens all of its cards. */
export async function showState(driver: ChatPageDriver, state: PageState): Promise<void> {
  await driver.send(...state.messages);
  await driver.frames();
  await state.act?.(driver);
  if (state.awaited !== undefined) await driver.page.locator(state.awaited).first().waitFor();
  await driver.page.evaluate(() => {
    for (const card of document.querySelectorAll("details")) card.open = true;
  });
  await driver.frames();
}
