/** The text before the lines of the blocks inside a quote or an item. */
export interface Margin {
  readonly first: string;
  readonly rest: string;
}

/** The margin of a block quote, as it is written most often. */
export const quoteMargin: Margin = { first: "> ", rest: "> " };

const item = /^( {0,3}(?:[-+*]|\d{1,9}[.)]))( *)([^]*)$/;

/** The margin of the item that starts with this line. Undefined if it can't be determined, for example after a tab. */
export function itemMargin(line: string | undefined): Margin | undefined {
  const [, marker, spaces = "", text] = item.exec(line ?? "") ?? [];
  if (marker === undefined || text?.startsWith("\t") === true) return undefined;
  // Additional spaces belong to code in the item, and an empty line has no usable margin.
  const isUsual = text !== "" && spaces.length <= 4;
  const first = marker + (isUsual ? spaces : " ");
  return { first, rest: " ".repeat(first.length) };
}

/** The margin of the footnote that starts with this line. */
export function noteMargin(line: string | undefined): Margin | undefined {
  const [first] = /^ {0,3}\[\^[^\]\s]+\]:[ \t]*/.exec(line ?? "") ?? [];
  return first === undefined ? undefined : { first, rest: "    " };
}

/** The line without the margin; undefined if the line doesn't have it. */
export function withoutMargin(line: string, margin: Margin, isFirst: boolean): string | undefined {
  if (margin === quoteMargin) {
    const mark = /^ {0,3}> ?(?!\t)/.exec(line);
    return mark === null ? undefined : line.slice(mark[0].length);
  }
  if (isFirst) return line.slice(margin.first.length);
  return line.startsWith(margin.rest) ? line.slice(margin.rest.length) : undefined;
}
