import type { Message } from "./conversation.ts";

/**
 * Every field of a message: how it reaches a page that already shows the message (with each change, by deltas, or not
 * at all because it is fixed), and whether the row of the message stores it in its details.
 */
const messageFields = {
  id: { page: "fixed", isDetail: false },
  parentId: { page: "fixed", isDetail: false },
  role: { page: "fixed", isDetail: false },
  status: { page: "change", isDetail: false },
  createdAt: { page: "fixed", isDetail: false },
  text: { page: "delta", isDetail: false },
  attachments: { page: "fixed", isDetail: false },
  reasoning: { page: "delta", isDetail: false },
  toolCalls: { page: "change", isDetail: true },
  toolCallId: { page: "fixed", isDetail: true },
  model: { page: "change", isDetail: true },
  usage: { page: "change", isDetail: true },
  finishReason: { page: "change", isDetail: true },
  error: { page: "change", isDetail: true },
  seams: { page: "fixed", isDetail: true },
  timing: { page: "change", isDetail: true },
  omitted: { page: "change", isDetail: true },
  settings: { page: "fixed", isDetail: true },
  isDamaged: { page: "fixed", isDetail: true },
  isIncluded: { page: "fixed", isDetail: true },
  providerFields: { page: "fixed", isDetail: true },
} as const satisfies Readonly<Record<keyof Message, FieldFacts>>;

interface FieldFacts {
  readonly page: "fixed" | "delta" | "change";
  readonly isDetail: boolean;
}

type Fields = typeof messageFields;
type ChangeField = {
  [F in keyof Fields]: Fields[F]["page"] extends "change" ? F : never;
}[keyof Fields];

/** The part of a message that its row stores as JSON: small, and never searched. */
export type MessageDetails = Pick<Message, DetailField>;

export type DetailField = {
  [F in keyof Fields]: Fields[F]["isDetail"] extends true ? F : never;
}[keyof Fields];

/** The fields of a message that change besides its text. */
export type MessageChange = Pick<Message, ChangeField>;

const changeFields = Object.keys(messageFields).filter(isChangeField);

function isChangeField(name: string): name is ChangeField {
  return Object.entries(messageFields).some(([field, { page }]) => field === name && page === "change");
}

/** The fields that a page showing the message receives when it changes. */
export function changeOf(message: Message): MessageChange {
  const change: { -readonly [F in ChangeField]?: Message[F] } = {};
  const copy = <F extends ChangeField>(field: F): void => {
    if (message[field] !== undefined) change[field] = message[field];
  };
  changeFields.forEach(copy);
  return { ...change, status: message.status, toolCalls: message.toolCalls };
}

/** Whether both changes are equal. */
export function isSameChange(first: MessageChange, second: MessageChange): boolean {
  return changeFields.every((field) => JSON.stringify(first[field]) === JSON.stringify(second[field]));
}
