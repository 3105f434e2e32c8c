import assert from "node:assert/strict";
import type { Conversation } from "../../../../src/core/conversation/conversation.ts";
import type { Imported, ImportFile } from "../../../../src/core/library/import/imported.ts";
import { parseImport } from "../../../../src/core/library/import/parseImport.ts";

/** The image that the files of exports contain. */
export const png = "iVBORw0KGgoAAAANSUhEUg==";

/** A file of an export, next to images whose names begin like these. */
export const file: ImportFile = {
  modifiedAt: 1_720_000_000_000,
  asset: (name) => (/^(?:file_)?known/.test(name) ? png : undefined),
};

/** What is imported from the value, which must be in a known format. */
export function importOf(value: unknown): Imported {
  const imported = parseImport(value, file);
  assert.ok(imported, "the format is known");
  return imported;
}

/** The only conversation that was imported. */
export function only({ conversations }: Imported): Conversation {
  const [conversation] = conversations;
  assert.ok(conversation && conversations.length === 1);
  return conversation;
}

/** What is imported from the value, with its only conversation. */
export function importOne(value: unknown): Imported & { readonly conversation: Conversation } {
  const imported = importOf(value);
  return { ...imported, conversation: only(imported) };
}

/** The tree of a conversation's messages, with their texts. */
export const outline = ({ messages }: Conversation): readonly unknown[] =>
  messages.map(({ id, parentId, role, text }) => [id, parentId, role, text]);
