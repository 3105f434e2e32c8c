const loneSurrogates = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
/** Marks that reorder or hide the text around them, blank letters, and tags and variants that can carry hidden text. */
const invisible =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\uddef]|\ud834[\udd73-\udd7a]/g;
const suspicious = /[^\u0020-\u007e\u00a0-\u00ac\u00ae-\u024f]| {2}|^ | $/;

/**
 * Text of a server as it may stand in a label: one line without control characters and without marks that reorder
 * or hide what is beside it, cut to `maxLength` UTF-16 units (an ellipsis says so).
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
