/** VS Code truncates the text of a notification after this many UTF-16 units. */
const longestMessage = 1_000;
/** UTF-16 units of a text in the status bar. */
const longestStatus = 200;

/** An icon at the start of one of our own texts. */
const leadingIcon = /^\$\((?:check|sync~spin|loading~spin|warning|info)\) /;

/**
 * Text for a VS Code surface that turns `[text](command:…)` into links and `$(name)` into icons: one bounded line in
 * which neither works. It stays readable; copied or read aloud, it has only an extra space.
 */
export function inertText(text: string, maxLength = longestMessage): string {
  return breakMarkup(sanitizeLabel(text, maxLength));
}

/** Text for a status bar message, which may begin with one of our own icons. */
export function inertStatus(text: string): string {
  const icon = leadingIcon.exec(text)?.[0] ?? "";
  return `${icon}${inertText(text.slice(icon.length), longestStatus)}`;
}

function breakMarkup(text: string): string {
  return text.replaceAll("](", "] (").replaceAll("$(", "$ (");
}

/** Hebrew, Arabic and the other scripts that are written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Whether the first letter belongs to a right-to-left script; false without letters. */
export function isRightToLeft(text: string): boolean {
  const [letter] = /\p{L}/u.exec(text) ?? [];
  return letter !== undefined && rightToLeft.test(letter);
}

/** Maximum length of a text from outside that a report shows. */
const maxLength = 600;

/**
 * Text from outside as Markdown without markup, links, or images of its own, that remains readable as source, such as
 * in a report that is pasted into an issue. A viewer may still link a bare URL; `escapePunctuation` prevents that, too.
 */
export function escapeMarkdown(text: string): string {
  return sanitizeLabel(text, maxLength * 2).replace(/[\\`*[\]<>|~]|(?<!\w)_|_(?!\w)|^#/g, "\\$&");
}

/** Text from outside as a code span: nothing in it is interpreted, and it can be copied unchanged. */
export function codeSpan(text: string): string {
  const clean = sanitizeLabel(text, maxLength).replaceAll("`", "'");
  return clean === "" ? "–" : `\`${clean}\``;
}

/**
 * What a reader doesn't see or what reorders its neighbors, in one class for all surfaces: Unicode's ignorable characters
 * (blank letters, zero-width and bidirectional characters, tags, variation selectors), annotations, control characters
 * other than tab and line feed, and halves of characters. Those that text needs are excepted by `isNeeded`.
 */
const hidden =
  /[\p{Default_Ignorable_Code_Point}\p{Cs}\ufff9-\ufffb\u2028\u2029\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/gu;
/** UTF-16 units around a character that decide whether it is needed. */
const neighborhood = 16;
/** Scripts whose letters are joined or separated by joiners, as in Persian and Hindi. */
const joiningScripts = [
  ...["Arab", "Syrc", "Mong", "Nkoo", "Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda"],
  ...["Mlym", "Sinh", "Mymr", "Khmr", "Tibt"],
];
const joinedLetter = `(?=[\\p{L}\\p{M}])[${joiningScripts.map((script) => `\\p{scx=${script}}`).join("")}]`;
const joinedBefore = new RegExp(`${joinedLetter}$`, "u");
const joinedAfter = new RegExp(`^${joinedLetter}`, "u");
/** The flags of England, Scotland and Wales, the only ones that are written with tags. */
const tagFlags = ["gbeng", "gbsct", "gbwls"].map(
  (code) =>
    `\u{1f3f4}${[...code].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("")}\u{e007f}`,
);

/** Whether the hidden character is part of an emoji, joins letters, or isolates text of another direction. */
function isNeeded(text: string, at: number, character: string, isolates: ReadonlySet<number>): boolean {
  const before = text.slice(Math.max(0, at - neighborhood), at);
  const after = text.slice(at + character.length, at + character.length + neighborhood);
  switch (character) {
    case "\ufe0e":
    case "\ufe0f":
      return (
        /\p{Extended_Pictographic}$/u.test(before) || (/[\d#*]$/.test(before) && after.startsWith("\u20e3"))
      );
    case "\u200d":
      if (/^\p{Extended_Pictographic}/u.test(after))
        return /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier})\ufe0f?$/u.test(before);
      return joinedBefore.test(before) && joinedAfter.test(after);
    case "\u200c":
      return joinedBefore.test(before) && joinedAfter.test(after);
    default:
      return isolates.has(at) || (character > "\u{db40}" && isInTagFlag(text, at));
  }
}

function isInTagFlag(text: string, at: number): boolean {
  // A search through all of the text before it, for each tag, would take quadratic time.
  const from = Math.max(0, at - neighborhood);
  const start = text.slice(from, at).lastIndexOf("\u{1f3f4}");
  return start >= 0 && tagFlags.includes(text.slice(from + start, from + start + 14));
}

/** The positions of isolates that end on the same line. */
function pairedIsolates(text: string): ReadonlySet<number> {
  const paired = new Set<number>();
  let open: number[] = [];
  for (const { 0: character, index } of text.matchAll(/[\n\u2066-\u2069]/g)) {
    if (character === "\n") open = [];
    else if (character !== "\u2069") open.push(index);
    else {
      const start = open.pop();
      if (start !== undefined) paired.add(start).add(index);
    }
  }
  return paired;
}

function replaceHidden(text: string, write: (character: string) => string): string {
  let isolates: ReadonlySet<number> | undefined;
  return text.replace(hidden, (found, at: number) => {
    isolates ??= pairedIsolates(text);
    return isNeeded(text, at, found, isolates) ? found : write(found);
  });
}

/** The text without the characters that a reader doesn't see, except for those that it needs. */
export function removeInvisible(text: string): string {
  return replaceHidden(text, () => "");
}

/** Whether a reader sees everything in the text. */
export function isVisible(text: string): boolean {
  return removeInvisible(text) === text;
}

const suspicious = /[^\u0020-\u007e\u00a0-\u00ac\u00ae-\u024f]| {2}|^ | $/;

/**
 * A server's text for use in a label: one line without control characters and without marks that reorder or hide
 * adjacent text, truncated to `maxLength` UTF-16 units with an ellipsis.
 */
export function sanitizeLabel(text: string, maxLength = 200): string {
  const cut = text.length > maxLength * 4 ? text.slice(0, maxLength * 4) : text;
  if (cut.length <= maxLength && !suspicious.test(cut)) return cut;
  const clean = replaceHidden(cut, inLabel)
    .replace(/[\t\n\r]+/g, " ")
    .replace(/ {2,}/g, " ")
    .trim();
  if (clean.length <= maxLength && cut.length === text.length) return clean;
  return `${startOf(clean, maxLength - 1)}…`;
}

/** The first UTF-16 units of a text, without half a character at the end. */
export function startOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

/** The last UTF-16 units of a text, without half a character at the start. */
export function endOf(text: string, length: number): string {
  return text.slice(Math.max(0, text.length - length)).replace(/^[\udc00-\udfff]/, "");
}

function inLabel(character: string): string {
  if (/\p{Cs}/u.test(character)) return "\ufffd";
  return /[\p{Cc}\u2028\u2029]/u.test(character) ? " " : "";
}

/**
 * The text for a list in VS Code, where `$(name)` would become an icon: escaped, so that it is shown literally. Text
 * that is already escaped is left unchanged.
 */
export function escapeCodicons(text: string): string {
  return text.replaceAll(/(?<!\\)\$\([\w-]+(?:~\w+)?\)/g, String.raw`\$&`);
}

/**
 * The text with everything that is invisible or changes the reading order written as `\uXXXX`, so that users confirm
 * exactly what they see. The meaning of JSON strings doesn't change.
 */
export function escapeInvisible(text: string): string {
  return replaceHidden(text, (found) =>
    [...Array(found.length).keys()].map((at) => escaped(found.charCodeAt(at))).join(""),
  );
}

function escaped(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

/** The text without everything between these two marks, including the marks. An element that is never closed stays. */
export function withoutElement(text: string, open: string, close: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf(open, from);
    const end = start === -1 ? -1 : text.indexOf(close, start + open.length);
    if (end === -1) return kept.length === 0 ? text : kept.join("") + text.slice(from);
    kept.push(text.slice(from, start));
    from = end + close.length;
  }
}

/**
 * The line that closes the code block in which the Markdown ends, without which what follows would be part of the code.
 * It is indented like the first line, because in a list it would otherwise begin another block.
 */
export function openFence(markdown: string): string | undefined {
  let open: string | undefined;
  const fences = /^( {0,3})(`{3,}(?=[^`\r\n]*$)|~{3,})(.*)$/gm;
  for (const [, indent = "", mark = "", info = ""] of markdown.matchAll(fences))
    if (open === undefined) open = indent + mark;
    else if (mark.startsWith(open.trimStart()) && info.trim() === "") open = undefined;
  return open;
}

/** The Markdown, after which code has ended: a response that was cut may end in the middle of it. */
export function closedMarkdown(markdown: string): string {
  const fence = openFence(markdown);
  return fence === undefined ? markdown : `${markdown}\n${fence}`;
}

/** Text as the content of an HTML element, or the value of an attribute in double quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
