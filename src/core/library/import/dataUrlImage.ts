import type { ImagePart } from "../../conversation/completion.ts";

/** The image in a `data:` URL. Empty for any other value. */
export function dataUrlImage(url: unknown): readonly ImagePart[] {
  if (typeof url !== "string") return [];
  const match = /^data:(image\/[\w.+-]+);base64,/u.exec(url.slice(0, 100));
  const mediaType = match?.[1];
  return match === null || mediaType === undefined
    ? []
    : [{ type: "image", mediaType, data: url.slice(match[0].length) }];
}
