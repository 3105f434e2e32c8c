import type { CodeRequest } from "../responses/code/codeRequest.ts";
import type { AttachmentLimits } from "../compose/attachments/limits.ts";
import type { Modality, ContentPart, Model, Role } from "../conversation/completion.ts";
import type { ContextFromWebview, ContextToWebview } from "../compose/context/contextProtocol.ts";
import type { ConversationSettings, Message } from "../conversation/conversation.ts";
import type { Draft } from "../conversation/conversationStore.ts";
import type { ErrorFacts } from "../kernel/errors.ts";
import type { ActionId, MessageAction } from "./pageActions.ts";
import type { PageBehaviour } from "./pageBehaviour.ts";
import type { LoadedImage } from "../kernel/images.ts";
import type { MeterReading } from "../compose/meter/conversationMeter.ts";
import type { PathView } from "../conversation/messageTree.ts";
import type { RetryView } from "../conversation/sessionEvent.ts";
import type { SendRequest } from "../compose/send/outbox.ts";
import type { HeldMessage, SendState } from "../compose/send/sendQuestion.ts";
import type { ResponseCheck } from "../responses/structured/responseCheck.ts";
import type { ToolMessage, ToolsView } from "../responses/tools/toolProtocol.ts";
import type { SettingsMessage, SettingsRequest } from "./settings/settingsProtocol.ts";
import type { RemedyBy } from "../account/remedies.ts";
import type { MessageChange } from "../conversation/messageFields.ts";

/** A message whose contents follow; `length` is that of its text in UTF-16 units. */
export interface MessageOutline {
  readonly id: string;
  readonly role: Role;
  readonly length: number;
}

/** A path as the page is sent it: the newest messages at once, those before them as outlines that `earlier` fills. */
export interface PagePath extends PathView {
  readonly earlier?: readonly MessageOutline[];
}

/** Everything the page needs to show the panel from nothing. Deltas only ever follow a snapshot. */
export interface PanelSnapshot extends PagePath {
  readonly conversationId: string;
  readonly title: string;
  readonly settings: ConversationSettings;
  readonly draft: Draft;
  readonly picker: ModelPicker;
  readonly isStreaming: boolean;
  readonly retry?: RetryView;
  /** Ids of the user's messages that later requests leave out, because no response to them came. */
  readonly unsent: readonly string[];
  /** The message that waits for the user's decision. */
  readonly held?: HeldMessage;
  /** Why nothing can be sent yet, such as no profile or no key; absent when all is ready. */
  readonly setup?: Notice;
}

export interface ModelPicker {
  /** `notSetUp`: there is nothing that could be asked for models. */
  readonly state: "notSetUp" | "loading" | "ready" | "failed";
  readonly models: readonly Model[];
  readonly selected?: string;
  readonly error?: ErrorFacts;
}

/** A sentence with the actions that fix what it says. */
export interface Notice {
  readonly message: string;
  readonly actions: readonly RemedyBy<"anywhere">[];
}

/** A file that the host has read for the page, in base64. */
export interface GivenFile {
  readonly name: string;
  readonly data: string;
}

export type RecordingCommand = "start" | "stop" | "cancel";

/** A recording under way on the host. */
export interface RecordingView {
  /** Milliseconds since its first sample, when this is sent. Absent until that sample has arrived. */
  readonly elapsedMs?: number;
  readonly maxSeconds: number;
  /** Where it is recorded, if that is not the user's own machine. */
  readonly note?: string;
}

/** Host to page: what concerns attachments of the composer. */
export type AttachmentMessage =
  | { readonly type: "attachmentLimits"; readonly limits: AttachmentLimits }
  /** Files that the user picked or dropped, with a sentence for each that can't be attached. */
  | { readonly type: "files"; readonly files: readonly GivenFile[]; readonly problems: readonly string[] }
  /** Without a recording there is none, or none any more; `problem` says why nothing came of it. */
  | { readonly type: "recording"; readonly recording?: RecordingView; readonly problem?: string };

/** Host to page. */
export type ToWebview =
  | AttachmentMessage
  | ContextToWebview
  | { readonly type: "snapshot"; readonly snapshot: PanelSnapshot }
  | { readonly type: "messageAdded"; readonly message: Message }
  /** Another path: the first `keep` messages that the page shows stay, these follow them. */
  | { readonly type: "path"; readonly keep: number; readonly path: PagePath }
  /** Messages that the page has outlines of; the newest come first. */
  | { readonly type: "earlier"; readonly messages: readonly Message[] }
  | SettingsMessage
  | SendState
  | { readonly type: "meter"; readonly reading: MeterReading }
  /**
   * Text that came since the last one. The offsets are the lengths (UTF-16 units) before this delta:
   * a page whose message has another length has lost something and asks for a new snapshot with `ready`.
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
      /** UTF-16 units of text and reasoning that the page has by then, if nothing was lost. */
      readonly length: number;
    }
  | { readonly type: "streaming"; readonly isStreaming: boolean; readonly retry?: RetryView }
  | { readonly type: "tools"; readonly tools: ToolsView }
  /** Other messages of the user than before are left out of later requests. */
  | { readonly type: "unsent"; readonly ids: readonly string[] }
  | { readonly type: "answerChecked"; readonly messageId: string; readonly check: ResponseCheck }
  | { readonly type: "picker"; readonly picker: ModelPicker }
  | { readonly type: "setup"; readonly setup?: Notice }
  /** Why nothing can be stored, shown for as long as that is so. */
  | { readonly type: "storageTrouble"; readonly sentence?: string }
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "image"; readonly url: string; readonly image: LoadedImage }
  /** Scrolls to the message, which is on the path, and to the first of the words (in lower case) in it. */
  | { readonly type: "showMessage"; readonly messageId: string; readonly words: readonly string[] }
  /**
   * What another window has typed. It takes the place of the text that it is over; where another one stands by then,
   * that stays, behind a draft that the user has asked for and instead of any other.
   */
  | { readonly type: "draft"; readonly draft: Draft; readonly over: string; readonly isChosen: boolean }
  /** Puts the focus into the composer. */
  | { readonly type: "focus" }
  | { readonly type: "behavior"; readonly behavior: PageBehaviour }
  /** To be answered with `pong` at once: the page shows that it is alive. */
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
  /** To be answered with `pong` at once: the host shows that it is alive. */
  | { readonly type: "ping" }
  /** The user has put the focus into the page. */
  | { readonly type: "focused" }
  /** To several models, for which the user is asked; without content the last message of the user once more. */
  | { readonly type: "compare"; readonly text: string; readonly attachments: readonly ContentPart[] }
  | { readonly type: "messageAction"; readonly action: MessageAction; readonly messageId: string }
  | ToolMessage
  /** Without an id: all responses under way. */
  | { readonly type: "stop"; readonly messageId?: string }
  | { readonly type: "retryNow" }
  | { readonly type: "selectModel"; readonly model: string }
  | { readonly type: "action"; readonly id: ActionId; readonly messageId?: string }
  | { readonly type: "copy"; readonly text: string }
  | { readonly type: "openLink"; readonly href: string }
  | ({ readonly type: "code" } & CodeRequest)
  /** Attachments, which may be large, only where they have changed. */
  | { readonly type: "draft"; readonly text: string; readonly attachments?: readonly ContentPart[] }
  /** Asks for images and audio with VS Code's own dialog. */
  | { readonly type: "pickFiles" }
  /** Files that were dropped from VS Code's explorer, by their addresses. */
  | { readonly type: "readFiles"; readonly uris: readonly string[] }
  | { readonly type: "recording"; readonly command: RecordingCommand }
  /** Asks for a model, those with these senses first. */
  | { readonly type: "pickModel"; readonly modalities: readonly Modality[] }
  /** The user wants to see this image from another host. The reply is `image`. */
  | { readonly type: "loadImage"; readonly url: string }
  /** A failure inside the page, for the log. */
  | { readonly type: "pageError"; readonly message: string };
