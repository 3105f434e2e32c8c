import type { CompletionRequest, Modality } from "../../conversation/completion.ts";
import type { Message } from "../../conversation/conversation.ts";
import type { Cost } from "../../conversation/prices.ts";
import type { TooLongPolicy } from "../../conversation/tooLong.ts";
import { findExcess } from "../../conversation/budget.ts";
import type { Budget, BudgetExcess } from "../../conversation/budget.ts";
import type { ModalityWarning } from "../attachments/modalities.ts";
import { maskOutgoing, outgoingTexts } from "./outgoing.ts";
import type { Outgoing } from "./outgoing.ts";
import { changeRequestTexts, requestTexts } from "./requestTexts.ts";
import { maskFindings } from "./secretFinding.ts";
import type { SecretFinding } from "../../account/secrets/secretValue.ts";
import {
  budgetQuestion,
  modalityQuestion,
  requestQuestion,
  resultQuestion,
  secretsQuestion,
  tooLongQuestion,
} from "./sendQuestion.ts";
import type { LocatedFinding, SendChoice, SendQuestion, TooLong } from "./sendQuestion.ts";

/** What happens to secrets: the user is asked, they are masked at once, or they aren't searched for. */
export type SecretGuard = "ask" | "mask" | "off";

/** The information that the gate needs. */
export interface SendGateContext {
  secretGuard(): SecretGuard;
  /** Loads the secret scanner, so that the first message doesn't wait for it. */
  prepare(): void;
  findSecrets(text: string): Promise<readonly SecretFinding[]>;
  /** How to handle a message that is too long: apply a policy, `send` all of it, or `ask`. */
  whenTooLong(): TooLongPolicy | "send" | "ask";
  /** The budget and what was spent; undefined if there is no budget. */
  readBudget(): Promise<{ readonly budget: Budget; readonly spent: Spent } | undefined>;
  readonly locale: string | undefined;
}

/** UTF-16 units of model texts that are remembered, so that closed conversations don't fill the memory. */
const maxWritten = 4 * 1024 * 1024;

interface Spent {
  readonly day: readonly Cost[];
  readonly month: readonly Cost[];
}

/** The conversation whose messages are checked. */
export interface SendGateConversation {
  readonly id: string;
  readonly systemPrompt: string | undefined;
  changeSystemPrompt(systemPrompt: string): void;
  /** What the user has already chosen for this conversation. */
  readonly whenTooLong: TooLongPolicy | undefined;
  changeWhenTooLong(policy: TooLongPolicy): void;
  /** By how much the conversation with this message, or without a new one, is too long; undefined if it isn't. */
  findTooLong(outgoing: Outgoing | undefined): TooLong | undefined;
  /**
   * What the next model doesn't, or may not, support in this message and those before it; undefined if it supports
   * everything.
   */
  findUnsupported(outgoing: Outgoing): ModalityWarning | undefined;
  /** Lets the user select a different model, listing those that support these modalities first. */
  selectModel(modalities: readonly Modality[]): Promise<void>;
  /**
   * Holds the message until the user has decided.
   * @param stored The message as it may be written to disk in the meantime; undefined if all of it may be.
   */
  ask(question: SendQuestion, stored: Outgoing | undefined): Promise<SendChoice>;
}

/**
 * Checks every message before it is sent: secrets are shown, masked or knowingly sent, and an exhausted budget is
 * reported. What the user has knowingly sent is not asked about again in this session.
 */
export class SendGate {
  readonly #context: SendGateContext;
  readonly #knowingly = new Set<string>();
  /** Secrets of earlier messages that the user wants masked in every request. */
  readonly #masked = new Set<string>();
  /** Texts that models have written in this window. They contain nothing that the models haven't been sent. */
  readonly #written = new Set<string>();
  #writtenUnits = 0;

  /** The conversations whose current turn the user has allowed to exceed the budget. */
  readonly #overBudget = new Set<string>();

  constructor(context: SendGateContext) {
    this.#context = context;
  }

  /** A message is likely to follow soon. */
  prepare(): void {
    if (this.#context.secretGuard() !== "off") this.#context.prepare();
  }

  /** The message to send; undefined if the user cancels. */
  async pass(outgoing: Outgoing, conversation: SendGateConversation): Promise<Outgoing | undefined> {
    const guarded = await this.#guard(outgoing, conversation);
    if (guarded === undefined) return undefined;
    return (await this.mayAsk(conversation, guarded)) ? guarded : undefined;
  }

  /** Whether a response may be requested, depending on what the model supports, its context and the budget. */
  async mayAsk(conversation: SendGateConversation, outgoing?: Outgoing): Promise<boolean> {
    if (outgoing !== undefined && !(await this.#isSupported(conversation, outgoing))) return false;
    if (!(await this.#fits(conversation, outgoing))) return false;
    this.#overBudget.delete(conversation.id);
    const excess = await this.#findExcess();
    if (excess === undefined) return true;
    const choice = await conversation.ask(budgetQuestion(excess, this.#context.locale), outgoing);
    if (choice === "send") this.#overBudget.add(conversation.id);
    return choice === "send";
  }

  /** Whether the user has allowed the conversation's current turn to exceed the budget. */
  mayExceedBudget(conversationId: string): boolean {
    return this.#overBudget.has(conversationId);
  }

  /** The part of a tool's result that may be sent to a model. Undefined if the user keeps it private. */
  async passResult(
    text: string,
    tool: string,
    ask: (question: SendQuestion) => Promise<SendChoice>,
  ): Promise<string | undefined> {
    const guard = this.#context.secretGuard();
    if (guard === "off") return text;
    const findings = (await this.#context.findSecrets(text)).filter(
      ({ value }) => !this.#knowingly.has(value),
    );
    if (findings.length === 0) return text;
    const choice = guard === "mask" ? "mask" : await ask(resultQuestion(findings, tool));
    if (choice === "mask") return maskFindings(text, findings);
    if (choice !== "send") return undefined;
    for (const { value } of findings) this.#knowingly.add(value);
    return text;
  }

  /**
   * The request in a form that may be sent, or undefined without asking once it was stopped. Everything in it is
   * checked, whether just written, imported, or stored long ago. Without `ask`, anything that looks like a secret is
   * masked. Undefined if the user cancels.
   * @param messagePlace What the question calls a message, such as “a prompt”. By default, it is an earlier message of
   *   a chat, whose latest one has been checked before.
   */
  async passRequest(
    request: CompletionRequest,
    ask?: (question: SendQuestion) => Promise<SendChoice>,
    isStopped: () => boolean = () => false,
    messagePlace?: string,
  ): Promise<CompletionRequest | undefined> {
    const guard = this.#context.secretGuard();
    if (guard === "off") return request;
    const found = await this.#findInRequest(request, messagePlace);
    const open = found.filter(
      ({ value }, index) =>
        !this.#masked.has(value) && found.findIndex((other) => other.value === value) === index,
    );
    if (isStopped()) return undefined;
    if (ask !== undefined && guard === "ask" && open.length > 0) {
      const choice = await ask(requestQuestion(open));
      if (choice !== "mask" && choice !== "send") return undefined;
      for (const { value } of open) (choice === "mask" ? this.#masked : this.#knowingly).add(value);
    }
    const masked = found.filter(({ value }) => !this.#knowingly.has(value));
    return masked.length === 0 ? request : changeRequestTexts(request, (text) => maskFindings(text, masked));
  }

  /**
   * Searches what an open conversation will send again, as long as `isWanted`. The findings are remembered, so that the
   * next message of a long conversation doesn't wait for all earlier ones.
   */
  async searchAhead(messages: readonly Message[], isWanted: () => boolean): Promise<void> {
    if (this.#context.secretGuard() === "off") return;
    for (const { text, attachments, toolCalls } of messages) {
      const attached = attachments.flatMap((part) => (part.type === "text" ? [part.text] : []));
      for (const sent of [text, ...attached, ...toolCalls.map((call) => call.arguments)]) {
        if (!isWanted()) return;
        if (sent !== "" && !this.#written.has(sent)) await this.#context.findSecrets(sent);
      }
    }
  }

  /** A model has written these texts, so sending them back reveals nothing. The oldest are forgotten. */
  trust(texts: readonly string[]): void {
    for (const text of texts) {
      if (text.length > maxWritten || this.#written.has(text)) continue;
      this.#written.add(text);
      this.#writtenUnits += text.length;
    }
    for (const oldest of this.#written) {
      if (this.#writtenUnits <= maxWritten) return;
      this.#written.delete(oldest);
      this.#writtenUnits -= oldest.length;
    }
  }

  async #findInRequest(
    request: CompletionRequest,
    messagePlace: string | undefined,
  ): Promise<readonly LocatedFinding[]> {
    const found: LocatedFinding[] = [];
    for (const { location, text } of requestTexts(request, messagePlace)) {
      if (this.#written.has(text)) continue;
      for (const finding of await this.#context.findSecrets(text)) {
        if (!this.#knowingly.has(finding.value)) found.push({ ...finding, location });
      }
    }
    return found;
  }

  /** Asks before the server would reject the message. If it might work, there is only a note near the composer. */
  async #isSupported(conversation: SendGateConversation, outgoing: Outgoing): Promise<boolean> {
    const warning = conversation.findUnsupported(outgoing);
    if (warning?.certainty !== "no") return true;
    const choice = await conversation.ask(modalityQuestion(warning), outgoing);
    // The message stays in the composer, to be sent to the selected model.
    if (choice === "selectModel") await conversation.selectModel(warning.modalities);
    return choice === "send";
  }

  async #fits(conversation: SendGateConversation, outgoing: Outgoing | undefined): Promise<boolean> {
    if (conversation.whenTooLong !== undefined || this.#context.whenTooLong() !== "ask") return true;
    const tooLong = conversation.findTooLong(outgoing);
    if (tooLong === undefined) return true;
    const choice = await conversation.ask(tooLongQuestion(tooLong, this.#context.locale), outgoing);
    if (choice === "dropOldest" || choice === "dropFiles") {
      conversation.changeWhenTooLong(choice === "dropOldest" ? "oldest" : "files");
      return true;
    }
    return choice === "send";
  }

  async #guard(outgoing: Outgoing, conversation: SendGateConversation): Promise<Outgoing | undefined> {
    const guard = this.#context.secretGuard();
    if (guard === "off") return outgoing;
    const findings = await this.#find(outgoing, conversation.systemPrompt);
    if (findings.length === 0) return outgoing;
    const masked = maskOutgoing(outgoing, findings);
    const choice = guard === "mask" ? "mask" : await conversation.ask(secretsQuestion(findings), masked);
    if (choice === "mask") {
      const { systemPrompt } = conversation;
      const prompt = systemPrompt === undefined ? undefined : maskFindings(systemPrompt, findings);
      if (prompt !== undefined && prompt !== systemPrompt) conversation.changeSystemPrompt(prompt);
      return masked;
    }
    if (choice !== "send") return undefined;
    for (const { value } of findings) this.#knowingly.add(value);
    return outgoing;
  }

  async #find(outgoing: Outgoing, systemPrompt: string | undefined): Promise<readonly LocatedFinding[]> {
    const found = await Promise.all(
      outgoingTexts(outgoing, systemPrompt).map(async ({ location, text }) =>
        (await this.#context.findSecrets(text)).map((finding) => ({ ...finding, location })),
      ),
    );
    return found.flat().filter(({ value }) => !this.#knowingly.has(value));
  }

  /** If the budget can't be read, the request is refused with a reason when it is entered in the usage records. */
  async #findExcess(): Promise<BudgetExcess | undefined> {
    const reading = await this.#context.readBudget().catch(() => undefined);
    const excess = reading && findExcess(reading.budget, reading.spent);
    // The request waits for those in progress.
    return excess?.reserved === undefined ? excess : undefined;
  }
}
