/** When a screen reader hears of an answer. */
export const announcements = ["sentences", "blocks", "end", "off"] as const;

export type Announcements = (typeof announcements)[number];

/** What Enter does in the composer: it sends, or it needs Ctrl or Cmd for that. */
export const sendKeys = ["enter", "ctrlEnter"] as const;

export type SendKey = (typeof sendKeys)[number];

/** How the page behaves, by the user's settings. */
export interface PageBehaviour {
  readonly sendWith: SendKey;
  readonly announce: Announcements;
}

/** Reads the settings; what can't be understood counts as not set. */
export function parsePageBehaviour(sendWith: unknown, announce: unknown): PageBehaviour {
  return {
    sendWith: sendKeys.find((key) => key === sendWith) ?? "enter",
    announce: announcements.find((moment) => moment === announce) ?? "sentences",
  };
}
