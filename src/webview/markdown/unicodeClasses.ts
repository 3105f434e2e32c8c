/**
 * Stands in for the package `uc.micro` in the page: markdown-it asks it what is punctuation or a symbol, and lists of both
 * are 5 kB, which the browser's regular expressions have too.
 */
export const P = /\p{P}/u;
export const S = /\p{S}/u;
