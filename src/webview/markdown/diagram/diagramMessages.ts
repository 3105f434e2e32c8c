/** The current colors and fonts. Colors are `rgb(…)` or `#…`. */
export interface DiagramTheme {
  readonly isDark: boolean;
  readonly fontFamily: string;
  /** In CSS pixels. */
  readonly fontSize: number;
  readonly background: string;
  readonly foreground: string;
  readonly fill: string;
  readonly accentFill: string;
  readonly border: string;
  readonly line: string;
}

/** Page to frame. */
export interface DiagramRequest {
  readonly id: number;
  readonly source: string;
  readonly theme: DiagramTheme;
}

/** Frame to page: a drawing with its size in CSS pixels and its own title, or the reason for a failure. */
export type DiagramReply =
  | {
      readonly id: number;
      readonly svg: string;
      readonly width: number;
      readonly height: number;
      readonly title: string;
    }
  | { readonly id: number; readonly error: string };
