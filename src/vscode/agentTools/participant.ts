import * as vscode from "vscode";
import {
  isAttachedByUser,
  lastRoundInstructions,
  participantInstructions,
  participantQuestion,
} from "../../core/agentTools/participantText.ts";
import { registeredName, toolNames } from "../../core/agentTools/toolNames.ts";
import { agentTools, inputSchema } from "../../core/agentTools/toolTable.ts";
import { filePart } from "../../core/compose/context/contextPart.ts";
import { diagnosisDocument } from "../../core/diagnosis/diagnosisDocument.ts";
import { noToolCalls } from "../../core/nativeChat/nativeRequest.ts";
import { logFailure } from "../../core/kernel/errors.ts";
import { escapeMarkdown } from "../../core/kernel/foreignText.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { messageOf } from "../../core/kernel/thrown.ts";
import { attachFiles, linesOf } from "../compose/context/attachFiles.ts";
import { guardFiles } from "../compose/context/ignoreFiles.ts";
import { diagnosisOf, loadMask } from "../diagnosis/diagnoses.ts";
import { commandIds } from "../shell/commandIds.ts";
import type { AgentTools, AgentToolsContext } from "./agentTools.ts";

/** The maximum number of rounds: a model that calls tools for longer isn't making progress. */
const mostRounds = 8;
/** Earlier turns that are sent with a question. */
const mostTurns = 10;
/** As in package.json. */
const ownVendor = "inference-gateway";

/** Searching conversations needs the user's consent, which this chat can't remember, so it isn't offered here. */
const offeredTools = toolNames.filter((name) => !agentTools[name].isPrivate);

interface Turn {
  readonly request: vscode.ChatRequest;
  readonly chat: vscode.ChatContext;
  readonly stream: vscode.ChatResponseStream;
  readonly token: vscode.CancellationToken;
  readonly signal: AbortSignal;
}

/** Responds to “@gpu” in VS Code's own chat with the model of the chat, except for a diagnosis, which needs none. */
export class Participant {
  readonly #context: AgentToolsContext;
  readonly #tools: AgentTools;

  constructor(context: AgentToolsContext, tools: AgentTools) {
    this.#context = context;
    this.#tools = tools;
  }

  async respond(
    request: vscode.ChatRequest,
    chat: vscode.ChatContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    const controller = new AbortController();
    const cancellation = token.onCancellationRequested(() =>
      controller.abort(new vscode.CancellationError()),
    );
    try {
      await this.#answer({ request, chat, stream, token, signal: controller.signal });
      return { metadata: { command: request.command ?? "" } };
    } catch (error) {
      if (token.isCancellationRequested) return {};
      logFailure(this.#context.log, error);
      const message = messageOf(error);
      if (message === "") return { errorDetails: { message: vscode.l10n.t("See the log for details.") } };
      return { errorDetails: { message: escapeMarkdown(this.#context.redaction.redact(message)) } };
    } finally {
      cancellation.dispose();
    }
  }

  async #answer(turn: Turn): Promise<void> {
    const { request, stream } = turn;
    if (this.#context.profiles.all.length === 0) {
      stream.markdown(vscode.l10n.t("There is no profile yet. Add one to connect your GPU cloud."));
      return stream.button({ command: commandIds.addProfile, title: vscode.l10n.t("Add Profile…") });
    }
    if (request.command === "diagnose") return this.#diagnose(turn);
    const question = participantQuestion(request.command, request.prompt);
    if (question === "")
      return stream.markdown(
        vscode.l10n.t("Ask a question about your GPU servers, or use “/servers”, “/models”, or “/diagnose”."),
      );
    await this.#ask(turn, question);
    for (const button of buttonsOf(request.command)) stream.button(button);
  }

  async #diagnose(turn: Turn): Promise<void> {
    const { request, stream, signal } = turn;
    const { profiles, redaction } = this.#context;
    const wanted = request.prompt.trim().toLowerCase();
    const named = profiles.all.find(({ name }) => name.toLowerCase() === wanted);
    const profile = named ?? profiles.active ?? profiles.all[0];
    if (wanted !== "" && named === undefined) {
      const names = profiles.names.join(", ");
      throw new Error(
        vscode.l10n.t("There is no profile “{0}”. The profiles are: {1}.", request.prompt.trim(), names),
      );
    }
    if (profile === undefined) return;
    // The chat keeps every progress message, so the steps aren't reported one by one.
    stream.progress(vscode.l10n.t("Diagnosing the connection…"));
    const diagnosis = await diagnosisOf(this.#context, [profile], signal, () => undefined);
    signal.throwIfAborted();
    stream.markdown(diagnosisDocument(diagnosis, { redact: await loadMask(redaction) }));
    stream.button({
      command: commandIds.diagnoseConnection,
      title: vscode.l10n.t("Diagnose Connection"),
      arguments: [profile.name],
    });
  }

  /** The model of the chat responds with our tools. If it is one of ours, the request passes our guard and budget. */
  async #ask({ request, chat, stream, token, signal }: Turn, question: string): Promise<void> {
    const { LanguageModelChatMessage: Message } = vscode;
    const attached = await attachmentsOf(request.references.filter(isAttachedByUser));
    if (attached.notice !== "") stream.markdown(`${escapeMarkdown(attached.notice)}\n\n`);
    const messages = [
      Message.User(participantInstructions),
      ...chat.history.slice(-mostTurns).flatMap(messageOfTurn),
      Message.User([...attached.texts, question].join("\n\n")),
    ];
    const tools = offeredTools.map((name) => ({
      name: registeredName(name),
      description: agentTools[name].description,
      inputSchema: inputSchema(name),
    }));
    for (let round = 1; round <= mostRounds; round++) {
      // In the last round, the model has to respond with what it knows. The tools stay declared, because some servers
      // otherwise reject tool results.
      const isLast = round === mostRounds;
      if (isLast) messages.push(Message.User(lastRoundInstructions));
      const isOwn = request.model.vendor === ownVendor;
      const options = { tools, ...(isLast && isOwn ? { modelOptions: noToolCalls } : {}) };
      const response = await request.model.sendRequest(messages, options, token);
      const parts: (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] = [];
      for await (const part of response.stream) {
        if (part instanceof vscode.LanguageModelTextPart) stream.markdown(part.value);
        else if (!(part instanceof vscode.LanguageModelToolCallPart)) continue;
        parts.push(part);
      }
      const calls = parts.filter((part) => part instanceof vscode.LanguageModelToolCallPart);
      if (calls.length === 0 || signal.aborted) return;
      if (isLast) break;
      messages.push(Message.Assistant(parts));
      const results = await Promise.all(calls.map((call) => this.#call(call, stream, signal)));
      messages.push(Message.User(results));
    }
    stream.markdown(
      `\n\n${vscode.l10n.t("The model kept calling tools and didn't finish. Ask a more specific question.")}`,
    );
  }

  async #call(
    { callId, name, input }: vscode.LanguageModelToolCallPart,
    stream: vscode.ChatResponseStream,
    signal: AbortSignal,
  ): Promise<vscode.LanguageModelToolResultPart> {
    const known = offeredTools.find((tool) => registeredName(tool) === name);
    if (known !== undefined) stream.progress(agentTools[known].title);
    const text =
      known === undefined
        ? "There is no such tool."
        : (await this.#tools.run(known, input, { surface: "editor" }, signal)).text;
    return new vscode.LanguageModelToolResultPart(callId, [new vscode.LanguageModelTextPart(text)]);
  }
}

interface Attachments {
  readonly texts: readonly string[];
  /** What isn't sent, and why; empty if everything is. */
  readonly notice: string;
}

async function attachmentsOf(references: readonly vscode.ChatPromptReference[]): Promise<Attachments> {
  const uris = references.map(({ value }) => value).filter((value) => value instanceof vscode.Uri);
  const files = uris.length === 0 ? { parts: [] } : await attachFiles(uris, "chosen");
  const others: string[] = [];
  let hasUnknown = false;
  for (const { value } of references) {
    if (typeof value === "string") others.push(value);
    else if (value instanceof vscode.Location) others.push(...(await readLocation(value)));
    else if (!(value instanceof vscode.Uri)) hasUnknown = true;
  }
  const notices = [
    ...("notice" in files && files.notice !== undefined ? [files.notice] : []),
    ...(hasUnknown
      ? [vscode.l10n.t("Only files, folders, selections, and text that you attach are sent with a question.")]
      : []),
  ];
  const texts = files.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return { texts: [...texts, ...others], notice: notices.join(" ") };
}

/** The lines of a document. Empty if the user keeps the file private. */
async function readLocation({ uri, range }: vscode.Location): Promise<readonly string[]> {
  const [allowed] = await guardFiles([uri], "chosen");
  if (allowed === undefined) return [];
  const document = await vscode.workspace.openTextDocument(uri);
  const location = { path: vscode.workspace.asRelativePath(allowed.real), lines: linesOf(range) };
  return [filePart(location, document.getText(range), document.languageId).text];
}

/** Some services reject a message without text. */
function messageOfTurn(
  turn: vscode.ChatRequestTurn | vscode.ChatResponseTurn,
): readonly vscode.LanguageModelChatMessage[] {
  const { LanguageModelChatMessage: Message } = vscode;
  const isQuestion = turn instanceof vscode.ChatRequestTurn;
  const text = isQuestion
    ? participantQuestion(turn.command, turn.prompt)
    : turn.response
        .map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : ""))
        .join("");
  return text === "" ? [] : [isQuestion ? Message.User(text) : Message.Assistant(text)];
}

/** Buttons for our own views below the response to a command. */
function buttonsOf(command: string | undefined): readonly vscode.Command[] {
  if (command === "servers")
    return [
      { command: commandIds.showServerTable, title: vscode.l10n.t("Show Servers as Table") },
      { command: commandIds.refreshServers, title: vscode.l10n.t("Refresh Servers") },
    ];
  if (command === "models")
    return [
      { command: commandIds.newChat, title: vscode.l10n.t("New Chat") },
      { command: commandIds.copySetup, title: vscode.l10n.t("Copy Setup for…") },
    ];
  return [];
}

/** Suggested follow-up questions after a command. */
export function followups({ metadata }: vscode.ChatResult): vscode.ChatFollowup[] {
  const last = isRecord(metadata) ? metadata["command"] : undefined;
  const running = vscode.l10n.t("Which servers are running?");
  const offered: vscode.ChatFollowup[] = [
    { prompt: running, command: "servers", label: running },
    { prompt: "", command: "models", label: vscode.l10n.t("Which models can I use?") },
    { prompt: "", command: "diagnose", label: vscode.l10n.t("Check the connection") },
  ];
  return offered.filter(({ command }) => command !== last);
}
