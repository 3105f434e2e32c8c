// Takes the place of the package `mdurl` in the page's bundle: what markdown-it asks of an address is a fifth of it.

/** An address in the parts that are written differently; the port belongs to the path. */
interface Parts {
  readonly protocol?: string;
  readonly slashes?: boolean;
  readonly auth?: string;
  readonly hostname?: string;
  readonly pathname?: string;
}

const address = /^([a-z][a-z0-9.+-]*:)?(\/\/)?(?:([^/?#]*)@)?(\[[^\]/?#]*\]|[^/?#:\s]*)([^]*)$/i;

/** Only what names a host is taken apart: `//host…`, `scheme://host…` and `mailto:name@host`. */
export function parse(url: string): Parts {
  const [, protocol, slashes, auth, host = "", pathname = ""] = address.exec(url) ?? [];
  const hasHost = slashes !== undefined || protocol?.toLowerCase() === "mailto:";
  if (!hasHost) return { pathname: url };
  return {
    slashes: slashes !== undefined,
    ...(protocol === undefined ? {} : { protocol }),
    ...(auth === undefined ? {} : { auth }),
    hostname: host.replace(/^\[(.*)\]$/, "$1"),
    pathname,
  };
}

/** The address that the parts make. */
export function format({ protocol = "", slashes, auth, hostname = "", pathname = "" }: Parts): string {
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return `${protocol}${slashes === true ? "//" : ""}${auth === undefined ? "" : `${auth}@`}${host}${pathname}`;
}

/** Writes what may not be in an address as `%XX`; leaves what is written so already. */
export function encode(text: string): string {
  return text.replace(/%(?![\dA-Fa-f]{2})|[^\w;/?:@&=+$,\-.!~*'()#%]+/g, encodeText);
}

function encodeText(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // A half of a character.
    return encodeURIComponent(text.replace(/\p{Cs}/gu, "\ufffd"));
  }
}

/** Reads `%XX`, but for what would change the meaning of the address, or isn't text. */
export function decode(text: string): string {
  return text.replace(/(?:%(?!2[3456bcf]|3[abdf]|40)[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

// markdown-it asks for its default set only, and adds the percent sign, which is in ours.
decode.defaultChars = "";
