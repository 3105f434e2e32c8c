import type { Message } from "../../conversation/conversation.ts";
import { isRecord, stringField } from "../../kernel/json.ts";
import { clineTask, finishClineTask } from "./clineTask.ts";
import { dataUrlImage } from "./dataUrlImage.ts";
import { importedMessage } from "./imported.ts";
import { readTime } from "./readTime.ts";
import type { ImportFile, Imported } from "./imported.ts";

/** Reads `ui_messages.json` of a task of Cline or Roo Code: what its user saw. For tasks that have nothing else. */
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

/** Progress, requests and approvals are none; the first text is the user's task. */
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

/** Newer versions write the question with its suggestions as JSON. */
function questionOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return (isRecord(value) ? stringField(value, "question") : undefined) ?? text;
  } catch {
    return text;
  }
}
