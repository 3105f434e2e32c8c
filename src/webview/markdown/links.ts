import { removeInvisible } from "../../core/kernel/foreignText.ts";

const allowed = /^(?:https?:\/\/|mailto:)[^\s\\]/i;

/** Maximum length of a displayed host, in UTF-16 code units. */
const maxHostLength = 80;

/** File extensions that are also country domains: `main.py` doesn't claim to be a host. */
const extensions =
  /\.(?:py|rs|sh|md|cs|rb|pl|so|ps|mk|cc|hs|ml|js|ts|io\.js|tf|sc|gd|pm|la|st|am|ac|in|do|mm)$/i;
const generic =
  /\.(?:com|org|net|info|biz|dev|app|gov|edu|mil|xyz|online|site|shop|cloud|tech|[a-z]{2}|xn--[a-z0-9-]+|\p{L}{2,})$/iu;
const hostLike = /^(?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]{2,}\.?$/u;

/** Whether a link target may become an `href`, according to an allow-list. Everything else is shown as text. */
export function isAllowedLink(href: string): boolean {
  return allowed.test(href);
}

/** The host of a URL as the browser interprets it (with other scripts as `xn--…`); undefined if it has none. */
export function hostOf(address: string): string | undefined {
  const host = URL.parse(address)?.host;
  return host === undefined || host === "" ? undefined : shorten(host);
}

/**
 * The host to show next to a link because its text names a different one, or its URL hides the host behind a user name.
 * Undefined if the text isn't misleading.
 */
export function undisclosedHost(href: string, text: string): string | undefined {
  const url = URL.parse(href);
  if (url === null || url.host === "") return undefined;
  const claims = removeInvisible(text)
    .split(/[\s"'“”‘’<>|,;]+/)
    .map(claimedHost)
    .filter((host) => host !== undefined);
  const isHonest = claims.every((host) => bare(host) === bare(url.hostname));
  return isHonest && url.username === "" && url.password === "" ? undefined : shorten(url.host);
}

/** The host that a word in a link's text suggests to the reader. */
function claimedHost(word: string): string | undefined {
  const text = word.replace(/^[([{]+/, "").replace(/(?<![)\]}.:!?])[)\]}.:!?]+$/, "");
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return URL.parse(text)?.hostname ?? text;
  const [host = ""] = text.split(/[/?#:@]/);
  if (!hostLike.test(host) || !generic.test(host) || (extensions.test(host) && !/^www\./i.test(host)))
    return undefined;
  return URL.parse(`https://${host}`)?.hostname ?? host;
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^www\./, "")
    .replace(/\.$/, "");
}

function shorten(host: string): string {
  // The end of a host determines its owner.
  return host.length <= maxHostLength ? host : `…${host.slice(1 - maxHostLength)}`;
}
