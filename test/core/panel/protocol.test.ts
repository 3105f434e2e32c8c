import assert from "node:assert/strict";
import { remediesBy } from "../../../src/core/account/remedies.ts";
import { maxAttachmentBytes, maxAttachments } from "../../../src/core/compose/attachments/limits.ts";
import { parseMessage } from "../../../src/core/kernel/pageMessages.ts";
import { fromWebview } from "../../../src/core/panel/protocol.ts";
import type { FromWebview } from "../../../src/core/panel/protocol.ts";
import { checkRules } from "../../support/checkRules.ts";

const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
const call = { messageId: "m", callId: "c" };

function parse(raw: unknown): FromWebview | undefined {
  return parseMessage<FromWebview>(fromWebview, raw);
}

describe("A message from the chat page", () => {
  checkRules<FromWebview>(fromWebview, {
    ready: { type: "ready" },
    ping: { type: "ping" },
    pong: { type: "pong" },
    pageError: { type: "pageError", message: "oops" },
    focused: { type: "focused" },
    blurred: { type: "blurred" },
    send: { type: "send", text: "hi \ud83d", attachments: [image], stopFirst: true },
    edit: { type: "edit", messageId: "m", text: "hi", attachments: [] },
    compare: { type: "compare", text: "", attachments: [image] },
    draft: { type: "draft", text: "", attachments: [] },
    pageState: { type: "pageState", state: "{}" },
    pasted: { type: "pasted", text: "a" },
    answerSend: { type: "answerSend", questionId: 1, choice: "mask" },
    queueSend: { type: "queueSend", messageId: "m" },
    queueRemove: { type: "queueRemove", messageId: "m" },
    queueEdit: { type: "queueEdit", messageId: "m", text: "two" },
    queueMove: { type: "queueMove", messageId: "m", index: 1 },
    stop: { type: "stop", messageId: "m" },
    retryNow: { type: "retryNow" },
    messageAction: { type: "messageAction", action: "regenerate", messageId: "m" },
    action: { type: "action", id: "retry", messageId: "m" },
    toolAnswer: { type: "toolAnswer", ...call, answer: "once" },
    openToolArguments: { type: "openToolArguments", ...call },
    selectModel: { type: "selectModel", model: "a/b" },
    pickModel: { type: "pickModel", modalities: ["image"] },
    changeSettings: { type: "changeSettings", settings: { parameters: { seed: 1 }, tools: ["t"] } },
    savePreset: { type: "savePreset", name: "New", settings: { systemPrompt: "Hi" } },
    deletePreset: { type: "deletePreset", name: " Old " },
    setDefaultPreset: { type: "setDefaultPreset", name: "New" },
    copy: { type: "copy", text: "x" },
    openLink: { type: "openLink", href: "https://example.org" },
    loadImage: { type: "loadImage", url: "https://example.org/cat.png" },
    code: { type: "code", action: "apply", code: "a()", language: "js", fileName: "a.js" },
    pickFiles: { type: "pickFiles" },
    readFiles: { type: "readFiles", uris: ["file:///a"] },
    suggest: { type: "suggest", queryId: 3, trigger: "#", text: "a" },
    suggestEnd: { type: "suggestEnd" },
    pickSuggestion: { type: "pickSuggestion", id: "3.0" },
    attachText: { type: "attachText", title: "a.ts", text: "x" },
    openContext: { type: "openContext", title: "a.ts", text: "x" },
  });

  it("can contain only what one of them offers", () => {
    for (const message of [
      { type: "action", id: "workbench.action.quit" },
      { type: "messageAction", action: "retry", messageId: "m" },
      { type: "messageAction", action: "toString", messageId: "m" },
      { type: "answerSend", questionId: 1, choice: "always" },
      ...["yes", "stop", "always", "toString"].map((answer) => ({ type: "toolAnswer", ...call, answer })),
      { type: "code", action: "delete", code: "" },
      { type: "suggest", queryId: 3, trigger: "@", text: "a" },
      { type: "pickModel", modalities: ["smell"] },
      { type: "queueMove", messageId: "m", index: -1 },
      { type: "queueMove", messageId: "m", index: 0.5 },
      { type: "savePreset", name: " ", settings: {} },
    ])
      assert.equal(parse(message), undefined, JSON.stringify(message));
    for (const action of remediesBy("message"))
      assert.ok(parse({ type: "messageAction", action, messageId: "m" }), action);
  });

  it("is accepted without what is optional", () => {
    for (const message of [
      { type: "send", text: "hi", attachments: [] },
      { type: "draft", text: "" },
      { type: "stop" },
      { type: "action", id: "diagnose" },
      { type: "setDefaultPreset" },
      { type: "code", action: "run", code: "ls" },
    ])
      assert.deepEqual(parse(message), message);
  });

  it("loses attachments and parameters that the host can't read", () => {
    const attachments = [image, { type: "image" }, { type: "video", data: "" }, null, 7];
    const sent = { type: "send", text: "", attachments: [image] };
    assert.deepEqual(parse({ ...sent, attachments }), sent);
    const parameters = { seed: 1, messages: [], top_p: NaN };
    const changed = { type: "changeSettings", settings: { parameters: { seed: 1 } } };
    const settings = { parameters, systemPrompt: 7 };
    assert.deepEqual(parse({ ...changed, settings }), changed);
  });

  it("may have as many attachments as are allowed, but is small if it only names something", () => {
    const sizeOf = (type: string): number => fromWebview.find((rule) => rule.type === type)?.size ?? 0;
    for (const type of ["send", "edit", "compare", "draft"])
      assert.ok(sizeOf(type) > (maxAttachmentBytes * maxAttachments * 4) / 3, type);
    for (const type of ["openLink", "loadImage", "action", "toolAnswer", "answerSend", "suggest"])
      assert.ok(sizeOf(type) <= 20_000, type);
  });
});
