import type { PartFacts } from "../../../core/compose/attachments/describePart.ts";
import { readImageFacts } from "../../../core/conversation/fileKind.ts";
import { base64Bytes } from "../../../core/compose/attachments/limits.ts";
import { readSeconds } from "../../../core/compose/attachments/soundFacts.ts";
import type { AudioPart, ContentPart, ImagePart } from "../../../core/conversation/completion.ts";
import { base64ToBytes } from "./base64.ts";
import { assertNever } from "../../../core/kernel/assertNever.ts";

/** A content part with its facts. */
export interface Attachment {
  readonly part: ContentPart;
  readonly facts: PartFacts;
}

/** Characters of base64 that contain the size of nearly every image. */
const headLength = 4 * 4096;

/** Reads the facts shown next to an image or audio from its bytes. Empty if they can't be read. */
export function readPartFacts(part: ContentPart): PartFacts {
  try {
    switch (part.type) {
      case "image":
        return readSize(part);
      case "audio": {
        const seconds = readLength(part);
        return seconds === undefined ? {} : { seconds };
      }
      case "text":
        return {};
      default:
        return assertNever(part);
    }
  } catch {
    return {};
  }
}

function readSize({ data }: ImagePart): PartFacts {
  const facts =
    readImageFacts(base64ToBytes(data.slice(0, headLength))) ?? readImageFacts(base64ToBytes(data));
  return facts === undefined ? {} : { width: facts.width, height: facts.height };
}

function readLength({ format, data }: AudioPart): number | undefined {
  const head = readSeconds("wav", base64ToBytes(data.slice(0, headLength)), base64Bytes(data));
  return format === "wav" && head !== undefined ? head : readSeconds(format, base64ToBytes(data));
}
