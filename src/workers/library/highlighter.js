// JavaScript, because the types of highlight.js would add those of the DOM to everything that runs in the host.
export { default as highlighter } from "highlight.js/lib/common";
