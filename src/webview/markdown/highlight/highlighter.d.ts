/** The part of highlight.js with the languages that are common in conversations. */
export const highlighter: {
  /** Undefined for an unknown language. */
  getLanguage(name: string): object | undefined;
  /** Returns the code as escaped text in spans with classes. */
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly value: string };
};
