/** The table of named characters such as `&nbsp;`, which is loaded when it is needed. */
export { decodeHTMLStrict } from "entities/decode";
