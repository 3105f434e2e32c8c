import type { TableColumn } from "../../core/servers/table/tableProtocol.ts";

/** Pixels of a cell besides its text. */
const cellPadding = 16;

/** The values of CSS that lay the columns out. */
export interface ColumnTracks {
  /** For `grid-template-columns`. */
  readonly tracks: string;
  /** What all of them need, for `min-width`. */
  readonly width: string;
}

export function columnTracks(columns: readonly TableColumn[]): ColumnTracks {
  const widths = columns.map(widthOf);
  const sum = widths.reduce((total, width) => total + width, 0);
  return {
    tracks: widths.map((width) => `minmax(${lengthOf(width, 1)}, ${width}fr)`).join(" "),
    width: lengthOf(sum, columns.length),
  };
}

/** As wide as its longest text within reason, in characters; what is left of the page is shared by need. */
function widthOf({ width, label }: TableColumn): number {
  return Math.max(5, label.length + 2, Math.min(width, 30));
}

function lengthOf(characters: number, cells: number): string {
  return `calc(${characters}ch + ${cells * cellPadding}px)`;
}
