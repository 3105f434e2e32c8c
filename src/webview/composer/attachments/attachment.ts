import type { PartFacts } from "../../../core/compose/attachments/describePart.ts";
import { readImageFacts } from "../../../core/conversation/fileKind.ts";
import type { ContentPart, ImagePart } from "../../../core/conversation/completion.ts";
import { base64ToBytes } from "./base64.ts";

/** A content part with its facts. */
export interface Attachment {
  readonly part: ContentPart;
  readonly facts: PartFacts;
}

/** Characters of base64 that contain the size of nearly every image. */
const headLength = 4 * 4096;

/** Reads the facts shown next to an image from its bytes. Empty if they can't be read. A player reads those of audio. */
export function readPartFacts(part: ContentPart): PartFacts {
  try {
    return part.type === "image" ? readSize(part) : {};
  } catch {
    return {};
  }
}

function readSize({ data }: ImagePart): PartFacts {
  const facts =
    readImageFacts(base64ToBytes(data.slice(0, headLength))) ?? readImageFacts(base64ToBytes(data));
  return facts === undefined ? {} : { width: facts.width, height: facts.height };
}
