import { guardCompletion, guardedTools } from "../../../core/compose/send/guardedPorts.ts";
import type { SendGate } from "../../../core/compose/send/sendGate.ts";
import type { SendChoice, SendQuestion } from "../../../core/compose/send/sendQuestion.ts";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import type { CompletionPort } from "../../../core/conversation/completion.ts";
import type { ToolPort } from "../../../core/conversation/toolPort.ts";
import { sentBy } from "../../../core/responses/usage/ledger.ts";
import type { Meters } from "../meter/meters.ts";

interface GuardedSendingContext {
  readonly gate: SendGate;
  /** Where requests go that have passed. */
  readonly completions: CompletionPort;
  readonly tools: ToolPort;
  readonly meters: Pick<Meters, "fit">;
  /** Asks the user of a conversation about data that is sent while a response is in progress. */
  ask(conversationId: string, question: SendQuestion): Promise<SendChoice>;
  /** Stops the responses of a conversation whose request the user has rejected. */
  stop(conversationId: string): void;
}

/**
 * Everything that is sent to a model on behalf of a conversation. It passes the gate as the last step before it is
 * recorded.
 */
export class GuardedSending {
  /** The tools, whose results pass the gate before they are sent. */
  readonly tools: ToolPort;
  readonly #context: GuardedSendingContext;
  readonly #titles: CompletionPort;

  constructor(context: GuardedSendingContext) {
    this.#context = context;
    const { gate, completions, tools, ask } = context;
    // The user isn't asked about titles: anything that looks like a secret is masked in their requests.
    this.#titles = guardCompletion(completions, (request) => gate.passRequest(request));
    this.tools = guardedTools(tools, (text, { tool, conversationId }) =>
      gate.passResult(text, tool, (question) => ask(conversationId, question)),
    );
  }

  /** For the turns of the conversation and its summary, which are shortened to what the model can read. */
  forTurns(port: CompletionPort, conversationId: string): CompletionPort {
    return this.#context.meters.fit(this.#watched(port, conversationId));
  }

  /** For naming the conversation. */
  forTitles(conversationId: string): CompletionPort {
    return sentBy(this.#titles, () => ({ conversationId }));
  }

  /** What a model has said and requested is sent back to it with each turn, so the user isn't asked about that. */
  trustResponses(session: ChatSession): void {
    session.subscribe((event) => {
      if (event.type !== "messageChanged" || event.message.role !== "assistant") return;
      const { status, text, toolCalls } = event.message;
      if (status === "streaming") return;
      this.#context.gate.trust([text, ...toolCalls.map((call) => call.arguments)]);
    });
  }

  #watched(port: CompletionPort, conversationId: string): CompletionPort {
    const { gate, ask, stop } = this.#context;
    const sent = sentBy(port, () => ({
      conversationId,
      mayExceedBudget: gate.mayExceedBudget(conversationId),
    }));
    return guardCompletion(sent, async (request, isStopped) => {
      const passed = await gate.passRequest(request, (question) => ask(conversationId, question), isStopped);
      if (passed === undefined && !isStopped()) stop(conversationId);
      return passed;
    });
  }
}
