/** When a response is announced to screen readers. */
export const announcements = ["sentences", "blocks", "end", "off"] as const;

export type Announcements = (typeof announcements)[number];

/** Whether Enter in the composer sends the message, or Ctrl or Cmd is needed for that. */
export const sendKeys = ["enter", "ctrlEnter"] as const;

export type SendKey = (typeof sendKeys)[number];

/** The font of messages; code always uses the editor's. */
export const textFonts = ["interface", "editor"] as const;

export type TextFont = (typeof textFonts)[number];

/** The behavior of the page according to the user's settings. */
export interface PageBehavior {
  readonly sendWith: SendKey;
  readonly announce: Announcements;
  readonly textFont: TextFont;
}

/** The raw settings, by the same names. */
export type PageSettings = Readonly<Record<keyof PageBehavior, unknown>>;

/** Parses the settings; invalid values count as not set. */
export function parsePageBehavior({ sendWith, announce, textFont }: PageSettings): PageBehavior {
  return {
    sendWith: sendKeys.find((key) => key === sendWith) ?? "enter",
    announce: announcements.find((moment) => moment === announce) ?? "sentences",
    textFont: textFonts.find((font) => font === textFont) ?? "interface",
  };
}
