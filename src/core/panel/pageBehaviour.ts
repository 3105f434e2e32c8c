/** When a response is announced to screen readers. */
export const announcements = ["sentences", "blocks", "end", "off"] as const;

export type Announcements = (typeof announcements)[number];

/** What Enter does in the composer: it sends, or it needs Ctrl or Cmd for that. */
export const sendKeys = ["enter", "ctrlEnter"] as const;

export type SendKey = (typeof sendKeys)[number];

/** Which font messages have; code has the editor's in any case. */
export const textFonts = ["interface", "editor"] as const;

export type TextFont = (typeof textFonts)[number];

/** How the page behaves, by the user's settings. */
export interface PageBehaviour {
  readonly sendWith: SendKey;
  readonly announce: Announcements;
  readonly textFont: TextFont;
}

/** The settings as they are written, by the same names. */
export type PageSettings = Readonly<Record<keyof PageBehaviour, unknown>>;

/** Reads the settings; what can't be understood counts as not set. */
export function parsePageBehaviour({ sendWith, announce, textFont }: PageSettings): PageBehaviour {
  return {
    sendWith: sendKeys.find((key) => key === sendWith) ?? "enter",
    announce: announcements.find((moment) => moment === announce) ?? "sentences",
    textFont: textFonts.find((font) => font === textFont) ?? "interface",
  };
}
