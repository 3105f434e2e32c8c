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

const loneSurrogates = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
/**
 * Marks that reorder or hide the text around them, blank letters, and tags and variation selectors that can contain
 * hidden text.
 */
const invisible =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\uddef]|\ud834[\udd73-\udd7a]/g;
const suspicious = /[^\u0020-\u007e\u00a0-\u00ac\u00ae-\u024f]| {2}|^ | $/;

/**
 * A server's text for use in a label: one line without control characters and without marks that reorder or hide
 * adjacent text, truncated to `maxLength` UTF-16 units with an ellipsis.
 */
export function sanitizeLabel(text: string, maxLength = 200): string {
  const cut = text.length > maxLength * 4 ? text.slice(0, maxLength * 4) : text;
  if (cut.length <= maxLength && !suspicious.test(cut)) return cut;
  const clean = cut
    .replace(invisible, "")
    .replace(loneSurrogates, "\ufffd")
    .replace(controls, " ")
    .replace(/ {2,}/g, " ")
    .trim();
  if (clean.length <= maxLength && cut.length === text.length) return clean;
  return `${clean.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
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
  return text.replace(
    // Control characters except tab and line feed; soft hyphen, zero-width, bidirectional and tag characters.
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g,
    (found) => [...Array(found.length).keys()].map((at) => escaped(found.charCodeAt(at))).join(""),
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
