import type { Server } from "./server.ts";
import { maskSecrets } from "./secretMask.ts";

/** Characters that reorder or hide text, which JSON may carry raw: written as escapes here. */
const deceiving =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

/** The record as a JSON document that may be shown: secrets masked, nothing in it that the eye can't see. */
export function serverRecordText(server: Server): string {
  const json = JSON.stringify(maskSecrets(server.record), undefined, 2) ?? "null";
  return `${json.replace(deceiving, escapeUnits)}\n`;
}

function escapeUnits(text: string): string {
  return [...Array(text.length).keys()]
    .map((index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}
