// Takes the place of the package `entities` in the page's bundle: its table of 24 kB is in every browser already.

const known = new Map<string, string>();

/** Decodes one reference such as `&copy;`; what is no name of HTML stays as it is. */
export function decodeHTMLStrict(reference: string): string {
  let decoded = known.get(reference);
  if (decoded === undefined) {
    decoded = decode(reference);
    known.set(reference, decoded);
  }
  return decoded;
}

/** A browser also takes a name at the beginning of another word (`&notit;` for `¬it;`): what is left of it tells. */
function decode(reference: string): string {
  const text = new DOMParser().parseFromString(reference, "text/html").documentElement.textContent;
  return text.endsWith(";") && reference !== "&semi;" ? reference : text;
}
