import type { Message } from "../../conversation/conversation.ts";
import { isRecord, parseJson, stringField } from "../../kernel/json.ts";
import { dataUrlImage, importedMessage, readTime, chainMessages, importedTitle } from "./imported.ts";
import type { ImportFile, Imported } from "./imported.ts";
import { withoutElement } from "../../kernel/foreignText.ts";

/**
 * Parses `ui_messages.json` of a Cline or Roo Code task, which contains what the user saw. For tasks that have no other
 * file.
 */
export function parseClineView(values: readonly unknown[], file: ImportFile): Imported {
  const task = clineTask(file);
  let reasoning = "";
  const messages: Message[] = [];
  for (const [index, value] of values.entries()) {
    if (!isRecord(value)) continue;
    if (value["say"] === "reasoning") reasoning = stringField(value, "text") ?? "";
    const message = parseEntry(value, `${task.id}-${index}`, messages.length === 0);
    if (message === undefined) continue;
    messages.push(message.role === "assistant" ? { ...message, reasoning } : message);
    reasoning = "";
  }
  return finishClineTask(task, messages, values.filter((value) => !isRecord(value)).length);
}

/** Progress, requests and approvals aren't messages; the first text is the user's task. */
function parseEntry(
  entry: Readonly<Record<string, unknown>>,
  id: string,
  isFirst: boolean,
): Message | undefined {
  const { say, ask, images } = entry;
  const createdAt = readTime(entry, "ts") ?? 0;
  const text = stringField(entry, "text") ?? "";
  const attachments = Array.isArray(images) ? images.flatMap(dataUrlImage) : [];
  if (entry["partial"] === true || (text === "" && attachments.length === 0)) return undefined;
  if (say === "task" || say === "user_feedback" || (say === "text" && isFirst))
    return importedMessage({ id, role: "user", createdAt, text, attachments });
  if (say === "text" || say === "completion_result")
    return importedMessage({ id, role: "assistant", createdAt, text, attachments });
  return ask === "followup"
    ? importedMessage({ id, role: "assistant", createdAt, text: questionOf(text) })
    : undefined;
}

/** Newer versions write the question and its suggestions as JSON. */
function questionOf(text: string): string {
  const value = parseJson(text);
  return (isRecord(value) ? stringField(value, "question") : undefined) ?? text;
}

/** A Cline or Roo Code task; the two files in its folder are the same conversation. */
interface ClineTask {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** The folder of the file is named after the task; Cline uses the time at which the task started. */
export function clineTask({ path, modifiedAt }: ImportFile): ClineTask {
  const folder = path.split(/[\\/]/u).at(-2) ?? "";
  const startedAt = /^\d{13}$/u.test(folder) ? Number(folder) : modifiedAt;
  return { id: `cline-${folder === "" ? modifiedAt : folder}`, startedAt };
}

/** The conversation of a task; nothing if it has no messages. */
export function finishClineTask(task: ClineTask, messages: readonly Message[], leftOut: number): Imported {
  if (messages.length === 0) return { conversations: [], leftOut };
  const conversation = {
    id: task.id,
    title: importedTitle(undefined, messages),
    createdAt: messages[0]?.createdAt ?? task.startedAt,
    updatedAt: Math.max(...messages.slice(-20).map(({ createdAt }) => createdAt)),
    messages: chainMessages(messages),
  };
  return { conversations: [conversation], leftOut };
}

/** What the user wrote, without what the program added around it for the model. */
export function userText(text: string): string {
  return withoutElement(text, "<environment_details>", "</environment_details>")
    .replace(/<\/?(?:task|feedback|user_message|answer)>/gu, "")
    .trim();
}
