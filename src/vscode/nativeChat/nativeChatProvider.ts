import * as vscode from "vscode";
import { remediesFor } from "../../core/account/remedies.ts";
import type { CompletionObserver } from "../../core/conversation/completion.ts";
import { ServiceError, logFailure } from "../../core/kernel/errors.ts";
import { isRecord, parseJsonObject, stringField } from "../../core/kernel/json.ts";
import { nativeModels } from "../../core/nativeChat/nativeModel.ts";
import type { NativeModel, ModelAccess } from "../../core/nativeChat/nativeModel.ts";
import { convertMessage, nativeRequest } from "../../core/nativeChat/nativeRequest.ts";
import type { NativeMessage, NativePart } from "../../core/nativeChat/nativeRequest.ts";
import { NativeResponse } from "../../core/nativeChat/nativeResponse.ts";
import type { NativeResponsePart } from "../../core/nativeChat/nativeResponse.ts";
import { estimateTokens } from "../../core/compose/meter/estimateTokens.ts";
import { readResourceLinks } from "../responses/tools/resourceLinks.ts";
import { remedyCommand } from "../account/runRemedy.ts";
import { chatSettings } from "../conversation/chatSettings.ts";
import { commandIds } from "../shell/commandIds.ts";
import { EnginePorts } from "./enginePorts.ts";
import type { EnginePortsContext } from "./enginePorts.ts";
import { ProfileModels } from "./profileModels.ts";
import type { ProfileModelsContext } from "./profileModels.ts";
import { countMessages } from "../../core/conversation/countTokens.ts";

interface NativeChatContext extends ProfileModelsContext, Omit<EnginePortsContext, "findModel"> {
  readonly access: ModelAccess;
  /** Our own extension, which needs no permission. */
  readonly extensionId: string;
}

/**
 * UTF-16 code units of the texts whose token counts are remembered. VS Code counts each message and each tool with
 * every request.
 */
const longestCounted = 8_000_000;

/** The models of all profiles for VS Code's own chat, agents and other extensions. */
export class NativeChatProvider implements vscode.LanguageModelChatProvider<NativeModel>, vscode.Disposable {
  readonly #context: NativeChatContext;
  readonly #models: ProfileModels;
  readonly #counts = new Map<string, number>();
  #countedLength = 0;
  readonly #ports: EnginePorts;

  readonly onDidChangeLanguageModelChatInformation: vscode.Event<void>;

  constructor(context: NativeChatContext) {
    this.#context = context;
    this.#models = new ProfileModels(context);
    this.#ports = new EnginePorts({
      ...context,
      findModel: (profile, model) => this.#models.find(profile, model),
    });
    this.onDidChangeLanguageModelChatInformation = this.#models.onDidChange;
  }

  async provideLanguageModelChatInformation({
    silent,
  }: vscode.PrepareLanguageModelChatModelOptions): Promise<NativeModel[]> {
    const lists = await this.#models.list();
    if (lists.length === 0 && !silent) void vscode.commands.executeCommand(commandIds.addProfile);
    const { prices } = chatSettings.chatPreferences();
    const facts = { prices, locale: vscode.env.language };
    return nativeModels(lists, facts);
  }

  async provideLanguageModelChatResponse(
    { profile, model }: NativeModel,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const sender = senderOf(options);
    const isOwn = sender.extension?.toLowerCase() === this.#context.extensionId.toLowerCase();
    if (sender.extension !== undefined && !isOwn && !(await this.#context.access.isAllowed(sender.extension)))
      throw vscode.LanguageModelError.NoPermissions(
        vscode.l10n.t("You haven't allowed the extension “{0}” to use this model.", sender.extension),
      );
    if (token.isCancellationRequested) return;
    const request = nativeRequest(model, await Promise.all(messages.map(readWithResources)), {
      encodeBase64,
      tools: (options.tools ?? []).map(({ name, description, inputSchema }) => ({
        name,
        description,
        parameters: parseJsonObject(inputSchema) ?? { type: "object", properties: {} },
      })),
      mustCallTool: options.toolMode === vscode.LanguageModelChatToolMode.Required,
      modelOptions: options.modelOptions,
      configuration: untyped(options)["modelConfiguration"],
    });
    const observer: CompletionObserver = {
      purpose: isOwn ? "participant" : sender.extension === undefined ? "nativeChat" : "extension",
      sender: isOwn ? {} : sender,
    };
    const run = this.#ports.find(profile).complete(request, observer);
    const cancellation = token.onCancellationRequested(() => run.stop());
    const response = new NativeResponse(this.#contextLength(profile, model));
    const report = (parts: readonly NativeResponsePart[]): void => {
      for (const part of parts.flatMap(createPart)) if (!token.isCancellationRequested) progress.report(part);
    };
    try {
      for await (const event of run.events) report(response.read(event));
      if (!token.isCancellationRequested) report(response.finish());
    } catch (error) {
      logFailure(this.#context.log, error);
      throw error instanceof ServiceError ? shownError(await this.#withCommand(error)) : error;
    } finally {
      cancellation.dispose();
    }
  }

  /** VS Code calls this thousands of times for one request, so it is synchronous and remembers texts. */
  provideTokenCount(
    { model }: NativeModel,
    text: string | vscode.LanguageModelChatRequestMessage,
  ): Promise<number> {
    if (typeof text === "string") return Promise.resolve(this.#count(text));
    // Images count the same whatever they contain.
    const converted = convertMessage(readMessage(text), model, { encodeBase64: () => "" });
    return Promise.resolve(countMessages(converted, (words) => this.#count(words), model));
  }

  dispose(): void {
    this.#models.dispose();
  }

  /** The message, and which command helps, because VS Code's chat has no buttons for it. */
  async #withCommand({ facts, message, reason }: ServiceError): Promise<string> {
    const [remedy] = remediesFor(facts, "notification");
    if (remedy === undefined || remedy === "editBudget") return message;
    // Every list of remedies ends with a diagnosis, which shows nothing new about a server that has responded.
    if (remedy === "diagnose" && reason !== "unreachable") return message;
    const own: string | undefined = remedyCommand(remedy)?.command;
    const { commandTitle } = await import("../shell/pickCommand.ts");
    const title =
      (own === undefined ? undefined : commandTitle(this.#context.extensionId, own)) ??
      commandTitle(this.#context.extensionId, commandIds.diagnoseConnection) ??
      "";
    return `${message} ${vscode.l10n.t("Run “{0}” from the Command Palette.", `Inference Gateway: ${title}`)}`;
  }

  #contextLength(profileName: string, model: string): number | undefined {
    const profile = this.#context.profiles.find(profileName);
    return profile && this.#models.find(profile, model)?.contextLength;
  }

  #count(text: string): number {
    let count = this.#counts.get(text);
    if (count === undefined) {
      count = estimateTokens(text);
      if (this.#countedLength + text.length > longestCounted) {
        this.#counts.clear();
        this.#countedLength = 0;
      }
      this.#counts.set(text, count);
      this.#countedLength += text.length;
    }
    return count;
  }
}

/** VS Code shows the message, followed by the stack if there is one. The log has the details. */
function shownError(message: string): Error {
  return Object.assign(new Error(message), { stack: "" });
}

/** The extension that contains VS Code's own chat. */
const nativeChat = "github.copilot-chat";

/** Some versions of VS Code don't name the extension, so the request may come from any extension. */
function senderOf(options: vscode.ProvideLanguageModelChatResponseOptions): {
  readonly extension?: string;
  readonly conversationId?: string;
} {
  const initiator = stringField(untyped(options), "requestInitiator");
  const modelOptions: unknown = options.modelOptions;
  const conversationId = isRecord(modelOptions) ? stringField(modelOptions, "_conversationId") : undefined;
  return {
    ...(initiator?.toLowerCase() === nativeChat ? {} : { extension: initiator ?? "unknown" }),
    ...(conversationId === undefined ? {} : { conversationId }),
  };
}

/** VS Code passes more than its types declare. */
function untyped(value: object): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function readMessage({ role, content }: vscode.LanguageModelChatRequestMessage): NativeMessage {
  return { role: readRole(role), parts: content.flatMap(readPart) };
}

/** With what the results of tools link to. */
async function readWithResources(message: vscode.LanguageModelChatRequestMessage): Promise<NativeMessage> {
  const { role, parts } = readMessage(message);
  const read = parts.map(async (part) =>
    part.type === "toolResult" ? { ...part, content: await readResourceLinks(part.content) } : part,
  );
  return { role, parts: await Promise.all(read) };
}

function encodeBase64(data: Uint8Array): string {
  return Buffer.from(data).toString("base64");
}

/** The role of system messages isn't part of the types. */
function readRole(role: vscode.LanguageModelChatMessageRole): NativeMessage["role"] {
  if (role === vscode.LanguageModelChatMessageRole.User) return "user";
  return role === vscode.LanguageModelChatMessageRole.Assistant ? "assistant" : "system";
}

function readPart(part: unknown): readonly NativePart[] {
  if (part instanceof vscode.LanguageModelTextPart) return [{ type: "text", text: part.value }];
  if (part instanceof vscode.LanguageModelToolCallPart)
    return [{ type: "toolCall", id: part.callId, name: part.name, input: part.input }];
  if (part instanceof vscode.LanguageModelToolResultPart)
    return [{ type: "toolResult", id: part.callId, content: part.content }];
  if (part instanceof vscode.LanguageModelDataPart)
    return [{ type: "data", mimeType: part.mimeType.toLowerCase(), data: part.data }];
  if (thinkingPart !== undefined && part instanceof thinkingPart) {
    const { value, metadata } = untyped(part);
    return [{ type: "reasoning", text: [value].flat().filter(isText).join(""), metadata }];
  }
  return [];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

type ThinkingPart = new (value: string, id?: string, metadata?: object) => vscode.LanguageModelTextPart;

/** Exists at run time since VS Code 1.106 or so, but isn't part of the types. */
const thinkingPart = findThinkingPart();

function findThinkingPart(): ThinkingPart | undefined {
  const found = untyped(vscode)["LanguageModelThinkingPart"];
  return isConstructor(found) ? found : undefined;
}

function isConstructor(value: unknown): value is ThinkingPart {
  return typeof value === "function";
}

function createPart(part: NativeResponsePart): readonly vscode.LanguageModelResponsePart[] {
  switch (part.type) {
    case "text":
      return [new vscode.LanguageModelTextPart(part.text)];
    case "toolCall":
      return [new vscode.LanguageModelToolCallPart(part.id, part.name, part.input)];
    case "usage":
      return [vscode.LanguageModelDataPart.json(part.usage, "usage")];
    case "reasoning":
      return thinkingPart === undefined ? [] : [new thinkingPart(part.text, undefined, part.metadata)];
  }
}
