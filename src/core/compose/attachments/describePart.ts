import { t } from "@vscode/l10n";
import type { ContentPart } from "../../conversation/completion.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { formatBytes, formatNumber } from "../../kernel/formatTime.ts";
import { base64Bytes, formatSeconds } from "./limits.ts";
import { assertNever } from "../../kernel/assertNever.ts";

/** What is known about an attachment besides its bytes. */
export interface PartFacts {
  /** Size of an image, in pixels. */
  readonly width?: number;
  readonly height?: number;
  /** Duration of an audio attachment. */
  readonly seconds?: number;
}

/** The display name of an attachment. */
export function partName(part: ContentPart): string {
  // A path is truncated only where it is displayed, because the line numbers are at its end.
  const title = sanitizeLabel(part.title ?? "", part.type === "text" ? 1_000 : 120);
  if (title !== "") return title;
  return kindNames[part.type]();
}

const kindNames: Readonly<Record<ContentPart["type"], () => string>> = {
  image: () => t("Image"),
  audio: () => t("Audio"),
  text: () => t("Text"),
};

/** Kind, dimensions or duration, and size, such as `PNG, 640 × 480, 23 kB`. */
export function describePart(part: ContentPart, { width, height, seconds }: PartFacts): string {
  return [
    formatName(part),
    width === undefined || height === undefined
      ? undefined
      : t("{0} × {1}", formatNumber(width), formatNumber(height)),
    seconds === undefined ? undefined : formatSeconds(seconds),
    part.type === "text" ? textLength(part.text) : formatBytes(base64Bytes(part.data)),
  ]
    .filter((fact) => fact !== undefined)
    .join(", ");
}

function formatName(part: ContentPart): string | undefined {
  switch (part.type) {
    case "image":
      return imageName(part.mediaType);
    case "audio":
      return part.format;
    case "text":
      return undefined;
    default:
      return assertNever(part);
  }
}

function imageName(mediaType: string): string {
  return sanitizeLabel(mediaType.replace(/^image\//, ""), 20)
    .toUpperCase()
    .replace("WEBP", "WebP");
}

function textLength(text: string): string {
  return text.length === 1 ? t("1 character") : t("{0} characters", formatNumber(text.length));
}
