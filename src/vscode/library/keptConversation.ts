import * as vscode from "vscode";
import { distinctFindings, maskFindings } from "../../core/compose/send/secretFinding.ts";
import type { SecretFinding } from "../../core/compose/send/secretFinding.ts";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import { mergeTags } from "../../core/conversation/conversationTags.ts";
import type { ContentPart } from "../../core/conversation/completion.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import { logFailure } from "../../core/kernel/errors.ts";
import type { Log } from "../../core/kernel/log.ts";
import { messageOf } from "../../core/kernel/thrown.ts";
import { appendLines, readKeptFile } from "../../core/library/kept/keptFile.ts";
import type { KeptContents } from "../../core/library/kept/keptFile.ts";
import {
  headLine,
  isNewer,
  isWorthKeeping,
  keptMessage,
  lineTexts,
  maskLine,
  mediaFileName,
  messageLine,
} from "../../core/library/kept/keptLines.ts";
import type { KeptHead, KeptMessage } from "../../core/library/kept/keptLines.ts";
import { exists } from "../shell/findFiles.ts";
import { createPause } from "../shell/pause.ts";
import { showWarningMessage } from "../shell/window.ts";
import { hashOf, mediaFolder, readKept } from "./keptFiles.ts";
import { asksToMask } from "./secretQuestion.ts";

/**
 * What keeping a conversation in a file of the workspace needs. The user decides about each secret before it is
 * written.
 */
export interface KeptConversationContext {
  readonly log: Log;
  findSecrets(text: string): Promise<readonly SecretFinding[]>;
}

/** What is written to the file: the conversation as a whole, and messages with everything that they follow. */
interface KeptSource {
  readonly head: Omit<KeptHead, "changedAt">;
  /** Milliseconds since 1970; undefined if the head doesn't have to be written. */
  readonly changedAt: number | undefined;
  readonly messages: readonly Message[];
}

/** Milliseconds from a change to writing it, so that a message and its response settle first. */
const writeDelayMs = 300;

/**
 * Writes a conversation to its file, through VS Code's file system. The engine stores the conversation as it stores any
 * other, so nothing is lost if the file can't be written. What is in the file is never removed or rewritten.
 */
export class KeptConversation implements vscode.Disposable {
  readonly uri: vscode.Uri;
  readonly #context: KeptConversationContext;
  /** IDs of the messages that were added or changed since they were last written. */
  readonly #changed = new Set<string>();
  /** Secrets that the user has decided to mask, or to write, by their values. */
  readonly #decided = new Map<string, { readonly finding: SecretFinding; readonly isMasked: boolean }>();
  #isHeadChanged = false;
  #isPaused = false;
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #session: ChatSession | undefined;
  #stopFollowing: () => void = () => undefined;
  /** The text that was last written, so that the notification about it isn't mistaken for a change. */
  #written: string | undefined;

  constructor(uri: vscode.Uri, context: KeptConversationContext) {
    this.uri = uri;
    this.#context = context;
  }

  /** Writes what changes in the conversation from now on. */
  follow(session: ChatSession): void {
    this.#stopFollowing();
    this.#session = session;
    this.#stopFollowing = session.subscribe((event) => {
      if ("message" in event) this.#note(event.message);
      else if (event.type === "title" || event.type === "model" || event.type === "settings")
        this.#isHeadChanged = true;
      else return;
      this.#schedule();
    });
  }

  /** Whether this is what was written here. */
  isOwn(text: string): boolean {
    return text === this.#written;
  }

  /** Writes everything that has changed. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#writeChanges());
    await this.#writing;
  }

  /**
   * Appends what the file doesn't contain yet. Returns false if the user cancels because of a secret.
   * @param isNew Whether the file is to be created, or replaced.
   */
  async write({ head, changedAt, messages }: KeptSource, isNew = false): Promise<boolean> {
    const { contents } = isNew
      ? { contents: await readKeptFile("", createPause()) }
      : await readKept(this.uri);
    const { id, createdAt } = contents.head ?? head;
    const tags = head.tags ?? contents.head?.tags ?? [];
    const lines = changedAt === undefined ? [] : [headLine({ ...head, id, createdAt, changedAt, tags })];
    const known = new Map(contents.messages.map((message) => [message.id, message]));
    const pause = createPause();
    for (const message of messages) {
      await pause();
      const line = await this.#lineOf(message, known.get(message.id), contents);
      if (line !== undefined) lines.push(line);
    }
    const masked = await this.#passGuard(lines);
    if (masked === undefined) return false;
    for (const { attachments } of messages) for (const part of attachments) await this.#writeMedia(part);
    // Read again: a dialog may have been open for minutes.
    const before = isNew ? { text: "", bytes: Buffer.alloc(0) } : await readKept(this.uri);
    const after = appendLines(before.text, masked);
    this.#written = after;
    if (after !== before.text || isNew)
      await vscode.workspace.fs.writeFile(this.uri, appendedBytes(before, after));
    return true;
  }

  /** Writes the user's changes to the tags. What others have added to the file in the meantime stays. */
  async writeTags(before: readonly string[], after: readonly string[]): Promise<void> {
    const write = async (): Promise<void> => {
      const { head } = (await readKept(this.uri)).contents;
      // What the user has kept stays, even if the file doesn't have it yet.
      const tags = mergeTags(before, after, [...(head?.tags ?? []), ...after]);
      if (head === undefined || (head.tags ?? []).join() === tags.join()) return;
      await this.write({ head: { ...head, tags }, changedAt: Date.now(), messages: [] });
    };
    this.#writing = this.#writing.then(write).catch((error: unknown) => logFailure(this.#context.log, error));
    await this.#writing;
  }

  dispose(): void {
    this.#stopFollowing();
    clearTimeout(this.#timer);
  }

  #note(message: Message): void {
    if (isWorthKeeping(message)) this.#changed.add(message.id);
  }

  #schedule(): void {
    if (this.#isPaused || (this.#changed.size === 0 && !this.#isHeadChanged)) return;
    this.#timer ??= setTimeout(() => void this.flush(), writeDelayMs);
  }

  async #writeChanges(): Promise<void> {
    const session = this.#session;
    if (session === undefined || this.#isPaused || (this.#changed.size === 0 && !this.#isHeadChanged)) return;
    const ids = [...this.#changed];
    try {
      const isWritten = await this.write(sourceOf(session, ids, this.#isHeadChanged));
      if (!isWritten) return this.#pause(vscode.l10n.t("New messages aren't written to {0}.", this.#name));
      for (const id of ids) this.#changed.delete(id);
      this.#isHeadChanged = false;
    } catch (error) {
      logFailure(this.#context.log, error);
      const reason = messageOf(error);
      this.#pause(
        vscode.l10n.t("{0} can't be written, so its messages are stored elsewhere. {1}", this.#name, reason),
      );
    }
  }

  get #name(): string {
    return vscode.workspace.asRelativePath(this.uri);
  }

  /** Nothing is written until the user decides otherwise. */
  #pause(sentence: string): void {
    this.#isPaused = true;
    const write = vscode.l10n.t("Write Now");
    void showWarningMessage(sentence, write).then((picked) => {
      if (picked !== write) return;
      this.#isPaused = false;
      void this.flush();
    });
  }

  /** The line to add for this message; undefined if the file already contains the message unchanged. */
  async #lineOf(
    message: Message,
    known: KeptMessage | undefined,
    { revisions }: KeptContents,
  ): Promise<string | undefined> {
    const kept = keptMessage(message, hashOf);
    if (known === undefined) return messageLine(kept);
    // A missing image isn't a change, and what another branch has completed isn't undone.
    if (mediaCount(known) !== mediaCount(kept) || isNewer(known, kept)) return undefined;
    const revision = (revisions.get(message.id) ?? 0) + 1;
    const [line, old] = [messageLine(kept, revision), messageLine(known, revision)];
    if (line === old) return undefined;
    const findings = distinctFindings(await this.#context.findSecrets(lineTexts(line)));
    return maskLine(line, (text) => maskFindings(text, findings)) === old ? undefined : line;
  }

  /** The lines with the secrets masked that the user wants to be masked; undefined if the user cancels. */
  async #passGuard(lines: readonly string[]): Promise<readonly string[] | undefined> {
    const found = new Map<string, SecretFinding>();
    for (const line of lines)
      for (const finding of await this.#context.findSecrets(lineTexts(line)))
        found.set(finding.value, finding);
    const undecided = distinctFindings([...found.values()].filter(({ value }) => !this.#decided.has(value)));
    if (undecided.length > 0) {
      const isMasked = await asksToMask(undecided, {
        mask: vscode.l10n.t("Mask and Write"),
        keep: vscode.l10n.t("Write with Secrets"),
      });
      if (isMasked === undefined) return undefined;
      for (const finding of undecided) this.#decided.set(finding.value, { finding, isMasked });
    }
    const masked = [...this.#decided.values()].flatMap(({ finding, isMasked }) =>
      isMasked ? [finding] : [],
    );
    return masked.length === 0
      ? lines
      : lines.map((line) => maskLine(line, (text) => maskFindings(text, masked)));
  }

  async #writeMedia(part: ContentPart): Promise<void> {
    if (part.type === "text") return;
    const name = mediaFileName({ ...part, sha256: hashOf(part.data) });
    const file = vscode.Uri.joinPath(this.uri, "..", mediaFolder, name);
    const isThere = await exists(file);
    if (!isThere) await vscode.workspace.fs.writeFile(file, Buffer.from(part.data, "base64"));
  }
}

/** Damaged text in the file stays as it is, byte by byte, unless conflict markers are removed from it. */
function appendedBytes(
  before: { readonly text: string; readonly bytes: Uint8Array },
  after: string,
): Uint8Array {
  return after.startsWith(before.text)
    ? Buffer.concat([before.bytes, Buffer.from(after.slice(before.text.length))])
    : Buffer.from(after);
}

function mediaCount({ attachments }: KeptMessage): number {
  return attachments.filter(({ type }) => type !== "text").length;
}

/** The messages with everything that they follow. Other branches of the conversation may belong to other files. */
function sourceOf({ id, state }: ChatSession, ids: readonly string[], isHeadChanged: boolean): KeptSource {
  const path = new Map(
    ids.flatMap((messageId) => state.pathTo(messageId)).map((message) => [message.id, message]),
  );
  const { title, model, settings } = state;
  return {
    head: {
      id,
      title,
      createdAt: [...path.values()][0]?.createdAt ?? Date.now(),
      ...(model === undefined ? {} : { model }),
      ...(settings.systemPrompt === undefined ? {} : { systemPrompt: settings.systemPrompt }),
    },
    changedAt: isHeadChanged ? Date.now() : undefined,
    messages: [...path.values()].filter(({ status }) => status !== "streaming"),
  };
}
