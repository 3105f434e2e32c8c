import * as v from "valibot";
import { maxAttachmentBytes, maxAttachments } from "../compose/attachments/limits.ts";
import { suggestionTriggers } from "../compose/context/contextProtocol.ts";
import type { ContextToWebview } from "../compose/context/contextProtocol.ts";
import { sendChoices } from "../compose/send/sendQuestion.ts";
import type { Model, Role } from "../conversation/completion.ts";
import { parseContentParts } from "../conversation/messageDetails.ts";
import { allModalities } from "../conversation/modelCatalog.ts";
import { parseSettings } from "../conversation/parameters.ts";
import { pageError, parsedBy, rule } from "../kernel/pageMessages.ts";
import type { MessageLimit, MessageOf } from "../kernel/pageMessages.ts";
import { codeActions } from "../responses/code/codeLanguage.ts";
import { toolAnswers } from "../responses/tools/liveCalls.ts";
import type { ConversationSettings, Message } from "../conversation/conversation.ts";
import type { Draft } from "../conversation/conversationStore.ts";
import type { ErrorFacts } from "../kernel/errors.ts";
import { actionIds, messageActions } from "./pageActions.ts";
import type { PageBehavior } from "./settings/chatPreferences.ts";
import type { LoadedImage } from "../kernel/images.ts";
import type { MeterReading } from "../compose/meter/conversationMeter.ts";
import type { PathView } from "../conversation/messageTree.ts";
import type { RetryView } from "../conversation/sessionEvent.ts";
import type { QueueView } from "../compose/send/queueSender.ts";
import type { HeldMessage, SendState } from "../compose/send/sendQuestion.ts";
import type { ResponseCheck } from "../responses/structured/responseCheck.ts";
import type { ToolsView } from "../responses/tools/liveCalls.ts";
import type { SettingsMessage } from "./settings/settingsForm.ts";
import type { RemedyBy } from "../account/remedies.ts";
import type { MessageChange } from "../conversation/messageDetails.ts";

/** A message whose content follows later; `length` is that of its text in UTF-16 units. */
export interface MessageOutline {
  readonly id: string;
  readonly role: Role;
  readonly length: number;
}

/**
 * A path in the form sent to the page: the newest messages in full, earlier ones as outlines that `earlier` fills in.
 */
export interface PagePath extends PathView {
  readonly earlier?: readonly MessageOutline[];
}

/** Everything the page needs to show the panel from scratch. Deltas only ever follow a snapshot. */
export interface PanelSnapshot extends PagePath {
  readonly conversationId: string;
  readonly title: string;
  readonly settings: ConversationSettings;
  readonly draft: Draft;
  readonly picker: ModelPicker;
  readonly isStreaming: boolean;
  readonly retry?: RetryView;
  /** IDs of the user's messages that later requests leave out because they got no response. */
  readonly unsent: readonly string[];
  /** What an earlier page of this conversation has sent last as `pageState`. */
  readonly pageState?: string;
  /** The message that is waiting for the user's decision. */
  readonly held?: HeldMessage;
  /** The messages that wait for a response to end. */
  readonly queue?: QueueView;
  /** Why nothing can be sent yet, such as no profile or no key; absent if everything is ready. */
  readonly setup?: Notice;
}

/** The models that a chat offers, and whether they have been loaded. */
export interface ModelPicker {
  /** `notSetUp`: there is no service to request models from. */
  readonly state: "notSetUp" | "loading" | "ready" | "failed";
  readonly models: readonly Model[];
  readonly selected?: string;
  readonly error?: ErrorFacts;
}

/** A sentence with the actions that fix the problem. */
export interface Notice {
  readonly message: string;
  readonly actions: readonly RemedyBy<"anywhere">[];
}

/** A file that the host has read for the page, in base64. */
export interface GivenFile {
  readonly name: string;
  readonly data: string;
}

/** Host to page: files that the user picked or dropped, with a sentence for each that can't be attached. */
export interface FilesMessage {
  readonly type: "files";
  readonly files: readonly GivenFile[];
  readonly problems: readonly string[];
}

/** Host to page. */
export type ToWebview =
  | FilesMessage
  | ContextToWebview
  | { readonly type: "snapshot"; readonly snapshot: PanelSnapshot }
  | { readonly type: "messageAdded"; readonly message: Message }
  /** A different path: the first `keep` messages that the page shows stay, and these follow them. */
  | { readonly type: "path"; readonly keep: number; readonly path: PagePath }
  /** Messages that the page has outlines of; the newest are sent first. */
  | { readonly type: "earlier"; readonly messages: readonly Message[] }
  | SettingsMessage
  | SendState
  | { readonly type: "meter"; readonly reading: MeterReading }
  /**
   * Text received since the last delta. The offsets are the lengths (UTF-16 units) before this delta: a page whose
   * message has a different length has lost something and requests a new snapshot with `ready`.
   */
  | {
      readonly type: "delta";
      readonly messageId: string;
      readonly textOffset: number;
      readonly text: string;
      readonly reasoningOffset: number;
      readonly reasoning: string;
    }
  | {
      readonly type: "messageChanged";
      readonly messageId: string;
      readonly change: MessageChange;
      /** UTF-16 units of text and reasoning that the page has at that point, if nothing was lost. */
      readonly length: number;
    }
  | { readonly type: "streaming"; readonly isStreaming: boolean; readonly retry?: RetryView }
  | { readonly type: "tools"; readonly tools: ToolsView }
  /** The set of user messages that later requests leave out has changed. */
  | { readonly type: "unsent"; readonly ids: readonly string[] }
  | { readonly type: "answerChecked"; readonly messageId: string; readonly check: ResponseCheck }
  | { readonly type: "picker"; readonly picker: ModelPicker }
  | { readonly type: "setup"; readonly setup?: Notice }
  /** Why nothing can be stored, shown as long as that is the case. */
  | { readonly type: "storageTrouble"; readonly sentence?: string }
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "image"; readonly url: string; readonly image: LoadedImage }
  /** Scrolls to the message, which is on the path, and to the first occurrence of the words (in lower case) in it. */
  | { readonly type: "showMessage"; readonly messageId: string; readonly words: readonly string[] }
  /**
   * A draft that another window has typed. It replaces the text `over`. If the composer contains a different text by
   * then, that text stays: after a draft that the user has asked for, and instead of any other.
   */
  | { readonly type: "draft"; readonly draft: Draft; readonly over: string; readonly isChosen: boolean }
  /** Moves the focus to the composer. */
  | { readonly type: "focus" }
  | { readonly type: "behavior"; readonly behavior: PageBehavior }
  /** The page must respond with `pong` at once to show that it is alive. */
  | { readonly type: "ping" }
  /** The response to the page's own `ping`. */
  | { readonly type: "pong" };

/** Texts of one message, in UTF-16 units: more than any model accepts. */
const longestText = 64_000_000;
/** Maximum length of names, addresses and similar texts. */
const short = 20_000;
/** Texts with attachments. Base64 takes four characters for three bytes. */
const content = longestText + Math.ceil((maxAttachments * maxAttachmentBytes * 4) / 3);

/** Messages that ask the user or VS Code for something. */
const asking: MessageLimit = { size: short, burst: 20, perSecond: 2 };
/** Messages caused by keys, focus and the life cycle of the page. */
const lively: MessageLimit = { size: short, burst: 200, perSecond: 40 };
/** Messages with text and attachments. */
const outgoing: MessageLimit = { size: content, burst: 30, perSecond: 5 };
const queueing: MessageLimit = { size: short, burst: 100, perSecond: 10 };

const text = v.string();
const attachments = parsedBy(parseContentParts);
const ofMessage = { messageId: text };
const ofCall = { messageId: text, callId: text };
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const settings = parsedBy(parseSettings);

/**
 * Page to host: each message with what it contains and how much of it is accepted. The page is untrusted, so that
 * nothing that isn't listed here is passed on.
 */
export const fromWebview = [
  rule("ready", { ...asking, perSecond: 1 }, {}),
  /** The host must respond with `pong` at once to show that it is alive. */
  rule("ping", lively, {}),
  rule("pong", lively, {}),
  pageError,
  /** The user has moved the focus into the page. */
  rule("focused", lively, {}),
  rule("blurred", lively, {}),

  /** While a response is in progress, the message is queued, or `stopFirst` stops the response. */
  rule("send", outgoing, { text, attachments, stopFirst: v.exactOptional(v.literal(true)) }),
  /** Another version of one of the user's messages. */
  rule("edit", outgoing, { ...ofMessage, text, attachments }),
  /** Sends a message to several models that the user selects; without content, the last user message once more. */
  rule("compare", outgoing, { text, attachments }),
  /** Attachments, which may be large, are included only if they have changed. Sent while the user types. */
  rule("draft", { ...lively, size: content }, { text, attachments: v.exactOptional(attachments) }),
  /** What exists only on the page, as JSON that only pages read: a page that replaces this one gets it back. */
  rule("pageState", { ...lively, size: content }, { state: text }),
  /** Text that was inserted into a composer without being typed. */
  rule("pasted", { ...lively, size: longestText }, { text }),
  /** The user's decision about a held message. */
  rule("answerSend", asking, { questionId: count, choice: v.picklist(sendChoices) }),
  rule("queueSend", queueing, ofMessage),
  rule("queueRemove", queueing, ofMessage),
  rule("queueEdit", { ...queueing, size: longestText }, { ...ofMessage, text }),
  /** Moves the message to this index. */
  rule("queueMove", queueing, { ...ofMessage, index: count }),

  /** Without an ID: all responses in progress. */
  rule("stop", lively, { messageId: v.exactOptional(text) }),
  rule("retryNow", lively, {}),
  // A page that opens a long conversation requests a check of each response that must be JSON.
  rule(
    "messageAction",
    { size: short, burst: 20_000, perSecond: 500 },
    { ...ofMessage, action: v.picklist(messageActions) },
  ),
  rule("action", asking, { id: v.picklist(actionIds), messageId: v.exactOptional(text) }),
  /** The user's decision on a tool call that waits for it. */
  rule(
    "toolAnswer",
    { size: short, burst: 200, perSecond: 20 },
    { ...ofCall, answer: v.picklist(toolAnswers) },
  ),
  /** The user wants to see all of the arguments that were truncated on the page. */
  rule("openToolArguments", asking, ofCall),

  rule("selectModel", asking, { model: text }),
  /** Lets the user select a model; those with these modalities come first. */
  rule("pickModel", asking, { modalities: v.pipe(v.array(v.picklist(allModalities)), v.readonly()) }),
  rule("changeSettings", { ...asking, size: 4_000_000, burst: 60 }, { settings }),
  /** Replaces another preset with the same name. */
  rule(
    "savePreset",
    { ...asking, size: 1_000_000 },
    { name: v.pipe(text, v.trim(), v.nonEmpty()), settings },
  ),
  rule("deletePreset", asking, { name: text }),
  /** Without a name, new chats start without a preset. */
  rule("setDefaultPreset", asking, { name: v.exactOptional(text) }),

  rule("copy", { ...asking, size: longestText }, { text }),
  rule("openLink", asking, { href: text }),
  /** The user wants to see this image from another host. The response is `image`. */
  rule("loadImage", { size: short, burst: 200, perSecond: 10 }, { url: text }),
  /** Does something with a code block besides copying it. */
  rule(
    "code",
    { ...asking, size: longestText },
    {
      action: v.picklist(codeActions),
      code: text,
      /** As written at the fence, such as `ts`. */
      language: v.exactOptional(text),
      /** The file that the block or the line before it names. It comes from the model and must be resolved with care. */
      fileName: v.exactOptional(text),
    },
  ),

  /** Lets the user pick images and audio with VS Code's own dialog. */
  rule("pickFiles", asking, {}),
  /** Files that were dropped from VS Code's explorer, by their URIs. */
  rule(
    "readFiles",
    { size: 500_000, burst: 10, perSecond: 1 },
    { uris: v.pipe(v.array(text), v.readonly()) },
  ),
  /** A newer query replaces an older one. The response is `suggestions` with the same number. */
  rule("suggest", lively, { queryId: count, trigger: v.picklist(suggestionTriggers), text }),
  /** The list is closed, so no reply is expected anymore. */
  rule("suggestEnd", lively, {}),
  /** The response is `compose`. */
  rule("pickSuggestion", asking, { id: text }),
  /** The text of a file that was dropped or pasted from outside VS Code. The response is `compose`. */
  rule("attachText", { size: longestText, burst: 100, perSecond: 5 }, { title: text, text }),
  /** Shows an attachment: its file if there is one, otherwise its text. */
  rule("openContext", { ...asking, size: longestText }, { title: text, text }),
];

/** Page to host. */
export type FromWebview = MessageOf<typeof fromWebview>;

/** The page's message of this type. */
export type PageMessage<T extends FromWebview["type"]> = Extract<FromWebview, { readonly type: T }>;
