import type { CodeRequest } from "../responses/code/codeRequest.ts";
import type { AttachmentLimits } from "../compose/attachments/limits.ts";
import type { Modality, ContentPart, Model, Role } from "../conversation/completion.ts";
import type { ContextFromWebview, ContextToWebview } from "../compose/context/contextProtocol.ts";
import type { ConversationSettings, Message } from "../conversation/conversation.ts";
import type { Draft } from "../conversation/conversationStore.ts";
import type { ErrorFacts } from "../kernel/errors.ts";
import type { ActionId, MessageAction } from "./pageActions.ts";
import type { PageBehavior } from "./settings/chatPreferences.ts";
import type { LoadedImage } from "../kernel/images.ts";
import type { MeterReading } from "../compose/meter/conversationMeter.ts";
import type { PathView } from "../conversation/messageTree.ts";
import type { RetryView } from "../conversation/sessionEvent.ts";
import type { QueueView } from "../compose/send/queueSender.ts";
import type { HeldMessage, SendRequest, SendState } from "../compose/send/sendQuestion.ts";
import type { ResponseCheck } from "../responses/structured/responseCheck.ts";
import type { ToolMessage, ToolsView } from "../responses/tools/liveCalls.ts";
import type { SettingsMessage, SettingsRequest } from "./settings/settingsForm.ts";
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

/** Host to page: messages about attachments of the composer. */
export type AttachmentMessage =
  | { readonly type: "attachmentLimits"; readonly limits: AttachmentLimits }
  /** Files that the user picked or dropped, with a sentence for each that can't be attached. */
  | { readonly type: "files"; readonly files: readonly GivenFile[]; readonly problems: readonly string[] };

/** Host to page. */
export type ToWebview =
  | AttachmentMessage
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

/** Page to host; checked at run time by `parseFromWebview`. */
export type FromWebview =
  | SettingsRequest
  | SendRequest
  | ContextFromWebview
  | { readonly type: "ready" }
  | { readonly type: "pong" }
  /** The host must respond with `pong` at once to show that it is alive. */
  | { readonly type: "ping" }
  /** The user has moved the focus into the page. */
  | { readonly type: "focused" }
  /**
   * Sends a message to several models that the user selects; without content, the last user message is sent once more.
   */
  | { readonly type: "compare"; readonly text: string; readonly attachments: readonly ContentPart[] }
  | { readonly type: "messageAction"; readonly action: MessageAction; readonly messageId: string }
  | ToolMessage
  /** Without an ID: all responses in progress. */
  | { readonly type: "stop"; readonly messageId?: string }
  | { readonly type: "retryNow" }
  | { readonly type: "selectModel"; readonly model: string }
  | { readonly type: "action"; readonly id: ActionId; readonly messageId?: string }
  | { readonly type: "copy"; readonly text: string }
  | { readonly type: "openLink"; readonly href: string }
  | ({ readonly type: "code" } & CodeRequest)
  /** Attachments, which may be large, are included only if they have changed. */
  | { readonly type: "draft"; readonly text: string; readonly attachments?: readonly ContentPart[] }
  /** Lets the user pick images and audio with VS Code's own dialog. */
  | { readonly type: "pickFiles" }
  /** Files that were dropped from VS Code's explorer, by their URIs. */
  | { readonly type: "readFiles"; readonly uris: readonly string[] }
  /** Lets the user select a model; those with these modalities come first. */
  | { readonly type: "pickModel"; readonly modalities: readonly Modality[] }
  /** The user wants to see this image from another host. The response is `image`. */
  | { readonly type: "loadImage"; readonly url: string }
  /** A failure inside the page, to be logged. */
  | { readonly type: "pageError"; readonly message: string };
