/**
 * Text with all that is invisible or turns the reading order written as `\uXXXX`, so that what a person confirms is
 * what they see. Inside of JSON strings the meaning stays the same.
 */
export function escapeInvisible(text: string): string {
  return text.replace(
    // Controls but tab and line feed; soft hyphen, zero-width, bidirectional and tag characters.
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g,
    (found) => [...Array(found.length).keys()].map((at) => escaped(found.charCodeAt(at))).join(""),
  );
}

function escaped(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
