import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { ContextToWebview } from "../../core/compose/context/contextProtocol.ts";
import type { MessageQueue } from "../../core/conversation/messageQueue.ts";
import type { DraftStore } from "../../core/conversation/conversationStore.ts";
import type { Log } from "../../core/kernel/log.ts";
import type { LoadedImage } from "../../core/kernel/images.ts";
import type { ActionId } from "../../core/panel/pageActions.ts";
import type { PageMessage } from "../../core/panel/protocol.ts";
import type { SendGate } from "../../core/compose/send/sendGate.ts";
import type { ChatModels } from "../conversation/chatModels.ts";
import type { ContextSuggestions } from "../compose/context/contextSuggestions.ts";
import type { MessageSteps } from "./pageActions.ts";
import type { Meters } from "../compose/meter/meters.ts";
import type { ChatTools } from "../responses/tools/chatTools.ts";
import type { ErrorFacts } from "../../core/kernel/errors.ts";

/** What a panel needs in addition to its session. */
export interface ChatPanelContext {
  readonly log: Log;
  readonly models: Pick<ChatModels, "picker" | "pick" | "chooseSeveral" | "setup" | "catalog">;
  drafts(): DraftStore;
  /** The messages that wait for the response in progress. */
  queueOf(session: ChatSession): MessageQueue;
  /** Why nothing can be stored; undefined if storing works. */
  storageTrouble(): string | undefined;
  readonly gate: SendGate;
  readonly meters: Meters;
  /** Resolves when it is known whether anything can be sent. Starts loading what the picker shows. */
  whenReady(): Promise<void>;
  readonly messageSteps: MessageSteps;
  readonly tools: ChatTools;
  /** Runs an action of a notice or an error. */
  runAction(action: Exclude<ActionId, "retry">, error: ErrorFacts | undefined): void;
  /** Provides the page's suggestions for `#` and `/`. */
  createSuggestions(session: ChatSession, post: (message: ContextToWebview) => void): ContextSuggestions;
  /** Performs the user's action on a code block. */
  runCodeAction(request: PageMessage<"code">): void;
  /** Loads an image from another host at the user's request. */
  loadImage(url: string): Promise<LoadedImage>;
}
