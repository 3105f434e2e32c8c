import { t } from "@vscode/l10n";
import ipaddr from "ipaddr.js";
import { ServiceError } from "../../core/kernel/errors.ts";
import { isLoopbackHost } from "../../core/kernel/httpAddress.ts";
import type { LoadedImage } from "../../core/kernel/images.ts";
import { readWholeBytes } from "./decodeBody.ts";
import type { Transport } from "./transport.ts";

const localNames = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|private|home\.arpa)\.?$/i;

/**
 * Whether a host can only be on the public network. An image named by a model must not make this machine send requests
 * to its own network. `hostname` comes from a URL: addresses are in their usual form, IPv6 in brackets. A public name
 * that resolves to a private address fails at the handshake, because no machine there has its certificate.
 */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (ipaddr.isValid(host)) return isPublicAddress(ipaddr.parse(host));
  return host.replace(/\.$/, "").includes(".") && !localNames.test(host) && !isLoopbackHost(host);
}

/** For IPv6, only the range assigned to global unicast: others can contain an IPv4 address. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

function isPublicAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || address.match(globalUnicast);
}

/** In bytes. */
const maxSize = 10 * 1024 * 1024;
/** Maximum milliseconds for the whole image. */
const maxTime = 30_000;

/** The network functions needed to load an image. Tests use hosts on this machine. */
interface ImageSource {
  readonly transport: Transport;
  readonly isAllowedHost?: (hostname: string) => boolean;
}

/**
 * Fetches an image at the user's request: only over https, only from the displayed host, without cookies and
 * credentials. Returns a `data:` URL of a raster type, or a sentence that explains why not. Never rejects.
 */
export async function fetchImage(source: ImageSource, address: string): Promise<LoadedImage> {
  const url = URL.parse(address);
  if (url?.protocol !== "https:") return { error: t("Only HTTPS images are loaded.") };
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

async function request(transport: Transport, url: URL): Promise<LoadedImage> {
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
    return { error: t("{0} responded with status {1}.", url.host, String(response.statusCode)) };
  }
  const message = t("The image is larger than {0} MB.", String(maxSize / 1024 / 1024));
  if (Number(response.headers["content-length"] ?? 0) > maxSize) {
    response.body.destroy();
    return { error: message };
  }
  const tooLarge = (): ServiceError => new ServiceError({ reason: "malformed", message });
  const bytes = await readWholeBytes(response.body, maxSize, tooLarge);
  const type = imageType(bytes);
  if (type === undefined)
    return { error: t("Unsupported image type. Only PNG, JPEG, GIF, WebP, and AVIF images are shown.") };
  return { dataUrl: `data:${type};base64,${bytes.toString("base64")}` };
}

function sentenceOf(error: unknown, url: URL): string {
  if (!(error instanceof ServiceError)) return t("{0} took too long to send the image.", url.host);
  if (error.facts.reason === "redirected")
    return t("{0} redirects to another host for the image. Nothing was loaded from there.", url.host);
  return error.message;
}
/** The type of a raster image according to its first bytes, whatever the server claims. Undefined for anything else. */
function imageType(bytes: Uint8Array): string | undefined {
  const text = String.fromCharCode(...bytes.subarray(0, 16));
  if (text.startsWith("\u0089PNG\r\n\u001a\n")) return "image/png";
  if (text.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) return "image/gif";
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return "image/webp";
  return text.slice(4, 12) === "ftypavif" ? "image/avif" : undefined;
}
