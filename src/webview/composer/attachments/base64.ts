import type { AudioPart, ImagePart } from "../../../core/conversation/completion.ts";

/** Throws if it isn't base64. */
export function base64ToBytes(data: string): Uint8Array<ArrayBuffer> {
  const text = atob(data);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Encoded by the browser in the background. */
export function blobToBase64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error("The bytes couldn't be read."));
    reader.readAsDataURL(blob);
  });
}

/** The bytes of an image or audio with their media type. Throws if they aren't base64. */
export function partBlob(part: ImagePart | AudioPart): Blob {
  return new Blob([base64ToBytes(part.data)], { type: mediaType(part) });
}

/** A URL that contains the bytes. */
export function dataUrl(part: ImagePart | AudioPart): string {
  return `data:${mediaType(part)};base64,${part.data}`;
}

/** A media type from a server must not turn an image into a document. */
function mediaType(part: ImagePart | AudioPart): string {
  if (part.type === "audio") return part.format === "mp3" ? "audio/mpeg" : "audio/wav";
  part satisfies ImagePart;
  return /^image\/(?:png|jpeg|webp|gif)$/.test(part.mediaType) ? part.mediaType : "image/png";
}
