import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { LoadedPicture } from "../../core/kernel/pictures.ts";
import type { HttpResponse, Transport } from "./transport.ts";
import { pictureType } from "./pictureType.ts";
import { isPublicHost } from "./publicHost.ts";

/** In bytes. */
const maxSize = 10 * 1024 * 1024;
/** Milliseconds for the whole picture. */
const maxTime = 30_000;

/** The network as far as a picture needs it; hosts of tests stand on this machine. */
export interface PictureSource {
  readonly transport: Transport;
  readonly isAllowedHost?: (hostname: string) => boolean;
}

/**
 * Fetches a picture that the user asked for: https only, from the host that was shown and no other, with no cookie and no
 * credential. Gives a `data:` URL of a raster type, or a sentence that says why not; never rejects.
 */
export async function fetchPicture(source: PictureSource, address: string): Promise<LoadedPicture> {
  const url = URL.parse(address);
  if (url?.protocol !== "https:") return { error: t("Only https images are loaded.") };
  if (url.username !== "" || url.password !== "")
    return { error: t("The URL contains a user name or password and wasn't loaded.") };
  const isAllowedHost = source.isAllowedHost ?? isPublicHost;
  if (!isAllowedHost(url.hostname))
    return { error: t("{0} isn't a public host and wasn't contacted.", url.host) };
  url.hash = "";
  try {
    return await request(source.transport, url);
  } catch (error) {
    return { error: sentenceOf(error, url) };
  }
}

async function request(transport: Transport, url: URL): Promise<LoadedPicture> {
  const response = await transport.request({
    method: "GET",
    url,
    headers: { accept: "image/avif,image/webp,image/png,image/jpeg,image/gif" },
    signal: AbortSignal.timeout(maxTime),
    timeoutMs: maxTime,
    isAuthenticated: false,
    allowInsecureHttp: false,
  });
  if (response.statusCode !== 200) {
    response.body.destroy();
    return { error: t("{0} answered with status {1}.", url.host, response.statusCode) };
  }
  const bytes = await readBytes(response);
  if (bytes === undefined) return { error: t("The image is larger than {0} MB.", maxSize / 1024 / 1024) };
  const type = pictureType(bytes);
  if (type === undefined)
    return { error: t("Unsupported image type. Only PNG, JPEG, GIF, WebP and AVIF images are shown.") };
  return { dataUrl: `data:${type};base64,${bytes.toString("base64")}` };
}

/** Undefined where it is too large; no byte more is read then. */
async function readBytes({ body, headers }: HttpResponse): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = Number(headers["content-length"] ?? 0);
  if (length > maxSize) {
    body.destroy();
    return undefined;
  }
  length = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.byteLength;
    // Leaving the loop closes the socket.
    if (length > maxSize) return undefined;
  }
  return Buffer.concat(chunks);
}

function sentenceOf(error: unknown, url: URL): string {
  if (!(error instanceof ServiceError)) return t("{0} took too long to send the image.", url.host);
  if (error.facts.reason === "redirected")
    return t("{0} redirects to another host for the image. Nothing was loaded from there.", url.host);
  return error.message;
}
