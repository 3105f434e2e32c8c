import type { Message } from "../../conversation/conversation.ts";
import { chainMessages, importedTitle } from "./imported.ts";
import type { ImportFile, Imported } from "./imported.ts";
import { withoutElement } from "../../conversation/withoutElement.ts";

/** A task of Cline or Roo Code; the two files of its folder are the same conversation. */
export interface ClineTask {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** The folder of the file is called after the task: by Cline after the time at which it began. */
export function clineTask({ path, modifiedAt }: ImportFile): ClineTask {
  const folder = path.split(/[\\/]/u).at(-2) ?? "";
  const startedAt = /^\d{13}$/u.test(folder) ? Number(folder) : modifiedAt;
  return { id: `cline-${folder === "" ? modifiedAt : folder}`, startedAt };
}

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

/** What the user wrote, without what the program put around it for the model. */
export function userText(text: string): string {
  return withoutElement(text, "<environment_details>", "</environment_details>")
    .replace(/<\/?(?:task|feedback|user_message|answer)>/gu, "")
    .trim();
}
