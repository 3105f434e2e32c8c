import { setTimeout as delay } from "node:timers/promises";
import * as vscode from "vscode";
import type { Profile } from "../../core/account/profile.ts";
import type { Redaction } from "../../core/account/redaction.ts";
import { runTool } from "../../core/agentTools/runTool.ts";
import type { AgentToolPorts, FoundMessage, AgentToolResult } from "../../core/agentTools/runTool.ts";
import { ReadConsent, consentKey } from "../../core/agentTools/readConsent.ts";
import type { ConsentAnswer } from "../../core/agentTools/readConsent.ts";
import { agentTools } from "../../core/agentTools/toolTable.ts";
import type { ToolName } from "../../core/agentTools/toolNames.ts";
import { maskFindings } from "../../core/compose/send/secretFinding.ts";
import type { ConversationStore } from "../../core/conversation/conversationStore.ts";
import { ServiceError, logFailure } from "../../core/kernel/errors.ts";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { originOf } from "../../core/kernel/httpAddress.ts";
import { gpuFacts } from "../../core/servers/gpu/gpuWatchState.ts";
import type { ServerSection } from "../../core/servers/tree/rows.ts";
import { SecretFinder } from "../compose/send/createSendGate.ts";
import { chatSettings } from "../conversation/chatSettings.ts";
import { ProfileModels } from "../nativeChat/profileModels.ts";
import type { ProfileModelsContext } from "../nativeChat/profileModels.ts";
import type { ServersView } from "../servers/serversView.ts";
import { showQuickPick } from "../shell/window.ts";

/** What the tools for agents, in VS Code and over MCP, work with. */
export interface AgentToolsContext extends ProfileModelsContext {
  readonly redaction: Redaction;
  readonly workspaceState: vscode.Memento;
  readonly storageUri: vscode.Uri;
  readonly extensionUri: vscode.Uri;
  readonly version: string;
  /** The servers of all profiles, loaded at the first use. */
  servers(): Promise<ServersView>;
  /** The stored conversations, opened at the first use. */
  conversations(): Promise<ConversationStore>;
}

/** A call from VS Code has passed its confirmation; one from another program names the program. */
type ToolCaller = { readonly surface: "editor" } | { readonly surface: "mcp"; readonly client: string };

/** Maximum milliseconds that a call waits for lists before it returns what is known. */
const patienceMs = 20_000;

const searchTries = 8;
const searchRestMs = 250;

/** The tools for agents, wherever they are called from. */
export class AgentTools implements vscode.Disposable {
  readonly #context: AgentToolsContext;
  readonly #models: ProfileModels;
  readonly #secrets: SecretFinder;
  readonly #consent: ReadConsent<AbortSignal>;
  /** Where the lists were read last. */
  #view: ServersView | undefined;

  constructor(context: AgentToolsContext) {
    this.#context = context;
    this.#models = new ProfileModels(context);
    this.#secrets = new SecretFinder(context);
    this.#consent = new ReadConsent({
      stored: () => context.workspaceState.get<unknown>(consentKey),
      store: (clients) => context.workspaceState.update(consentKey, clients),
      ask: askToRead,
      now: () => performance.now(),
    });
  }

  /**
   * Runs a tool with an input from outside. Rejects with the signal's reason if it is aborted; anything else that fails
   * is a sentence in the outcome.
   */
  async run(
    name: ToolName,
    input: unknown,
    caller: ToolCaller,
    signal: AbortSignal,
  ): Promise<AgentToolResult> {
    try {
      const outcome = await untilAborted(runTool(name, input, this.#createPorts(caller, signal)), signal);
      signal.throwIfAborted();
      return outcome;
    } catch (error) {
      signal.throwIfAborted();
      logFailure(this.#context.log, error);
      return { text: "The tool failed. The log of Inference Gateway has the details.", isError: true };
    }
  }

  /** Runs a tool for VS Code. Rejects with a sentence if it fails. */
  async invoke(
    name: ToolName,
    input: unknown,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const controller = new AbortController();
    const cancellation = token.onCancellationRequested(() =>
      controller.abort(new vscode.CancellationError()),
    );
    try {
      const outcome = await this.run(name, input, { surface: "editor" }, controller.signal);
      // VS Code passes the message to the model.
      if (outcome.isError) throw new Error(outcome.text);
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(outcome.text)]);
    } finally {
      cancellation.dispose();
    }
  }

  /** What VS Code asks before the tool runs. */
  prepare(name: ToolName, input: unknown): vscode.PreparedToolInvocation {
    if (!agentTools[name].isPrivate) return {};
    const message = new vscode.MarkdownString();
    message.appendText(consentDetail(wantedText(input)));
    return { confirmationMessages: { title: vscode.l10n.t("Search your conversations?"), message } };
  }

  dispose(): void {
    this.#models.dispose();
  }

  #createPorts(caller: ToolCaller, signal: AbortSignal): AgentToolPorts {
    const { profiles, clients, redaction } = this.#context;
    return {
      profiles: profiles.all,
      activeProfile: profiles.active?.name,
      servers: (maxAgeMs) => this.#servers(maxAgeMs),
      gpu: (profileName, key) => {
        const state = this.#view?.gpu?.stateOf(profileName, key);
        return state?.measuredAt === undefined ? undefined : gpuFacts(state, Date.now());
      },
      models: () => this.#models.list(),
      prices: chatSettings.chatPreferences().prices,
      checkInference: async (profile: Profile) => {
        const client = await clients.inference(profile);
        const patience = AbortSignal.timeout(patienceMs);
        const models = client.listModels(AbortSignal.any([signal, patience]));
        return (
          await models.catch((error: unknown) => Promise.reject(patience.aborted ? tooSlow(profile) : error))
        ).length;
      },
      findMessages: (query, limit) => this.#findMessages(query, limit, signal),
      maskSecrets: async (text) => maskFindings(text, await this.#secrets.find(text)),
      mayRead: (_name, input) =>
        caller.surface === "editor"
          ? Promise.resolve(true)
          : this.#consent.allows(caller.client, wantedText(input), signal),
      redact: (text) => redaction.redact(text),
      now: () => performance.now(),
    };
  }

  /** Lists that failed or are too old are requested again, by this window or the one that polls. */
  async #servers(maxAgeMs: number): Promise<readonly ServerSection[]> {
    this.#view = await this.#context.servers();
    const { lists } = this.#view;
    const due = lists.sections.filter(
      ({ snapshot: { listedAt, error, isRestored } }) =>
        error !== undefined || isRestored === true || Date.now() - (listedAt ?? -Infinity) > maxAgeMs,
    );
    const patience = AbortSignal.timeout(patienceMs);
    await untilAborted(
      Promise.all(due.map(async ({ profileName }) => lists.find(profileName)?.poll())),
      patience,
    ).catch(() => undefined);
    return lists.sections;
  }

  async #findMessages(
    query: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<AgentToolPorts["findMessages"]>>> {
    const store = await this.#context.conversations();
    let { hits, extent } = store.search(query);
    // A search is short, because users type. An agent can wait until the index is read and complete.
    for (let tries = 0; tries < searchTries && extent !== "all" && hits.length < limit; tries++) {
      await delay(searchRestMs, undefined, { signal });
      ({ hits, extent } = store.search(query));
    }
    const messages: FoundMessage[] = [];
    for (const { conversation, isInTitle, messages: found } of hits) {
      if (messages.length >= limit) break;
      signal.throwIfAborted();
      const { id, title, updatedAt } = conversation;
      if (isInTitle) messages.push({ title, updatedAt, role: "title", text: title });
      if (found.length === 0) continue;
      const stored = await store.loadOnceUnlocked(id);
      const ids = new Set(found.map(({ messageId }) => messageId));
      for (const { role, text } of stored?.messages.filter((message) => ids.has(message.id)) ?? [])
        messages.push({ title, updatedAt, role, text });
    }
    return { messages: messages.slice(0, limit), extent };
  }
}

/** Settles as the promise does, or rejects as soon as the signal is aborted. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function tooSlow({ inferenceBaseUrl }: Profile): ServiceError {
  const seconds = patienceMs / 1_000;
  const message = vscode.l10n.t(
    "{0} didn't respond within {1} s.",
    originOf(inferenceBaseUrl) ?? "",
    String(seconds),
  );
  return new ServiceError({ reason: "timeout", message });
}

/**
 * Asks whether a program may search the conversations. Enter and closing the question deny. It closes when the program
 * cancels the call, which no other kind of dialog can.
 */
async function askToRead(client: string, text: string, signal: AbortSignal): Promise<ConsentAnswer> {
  const cancellation = new vscode.CancellationTokenSource();
  const cancel = (): void => cancellation.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  const items = [
    // Enter chooses the first item, and the question may appear while the user is typing.
    { label: vscode.l10n.t("Deny"), answer: "deny" },
    { label: vscode.l10n.t("Allow Once"), answer: "once" },
    // What is remembered belongs to a name.
    ...(client === ""
      ? []
      : [{ label: vscode.l10n.t("Allow in This Workspace"), answer: "always" } as const]),
  ] as const;
  const title =
    client === ""
      ? vscode.l10n.t("Allow an unidentified agent to search your conversations?")
      : vscode.l10n.t("Allow “{0}” to search your conversations?", client);
  const options = { title, placeHolder: consentDetail(text), ignoreFocusOut: true };
  const picked = await showQuickPick(items, options, cancellation.token);
  signal.removeEventListener("abort", cancel);
  cancellation.dispose();
  return picked?.answer ?? "deny";
}

function consentDetail(text: string): string {
  return vscode.l10n.t(
    "Short excerpts of the messages that contain “{0}” are sent to the model that the agent uses. Secrets in them are masked.",
    sanitizeLabel(text, 300),
  );
}

function wantedText(input: unknown): string {
  return typeof input === "object" && input !== null && "text" in input && typeof input.text === "string"
    ? input.text
    : "";
}
