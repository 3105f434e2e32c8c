let chosen = "";
let current: { readonly tag: string | undefined } | undefined;

/**
 * Sets the language (a tag such as "de") in which numbers and times are formatted. It is set once, together with the
 * translations. If the environment uses the same language, its regional variant is preferred: British English, for
 * example, has its own date format.
 */
export function setDisplayLanguage(tag: string): void {
  chosen = tag;
  current = undefined;
}

/** The tag of the display language; undefined means the default of the environment. */
export function displayLanguage(): string | undefined {
  // With the first number, not at startup: loading the language data takes longer than everything else here.
  current ??= { tag: findLanguage(chosen) };
  return current.tag;
}

function findLanguage(tag: string): string | undefined {
  const [surroundings] = new Intl.NumberFormat().resolvedOptions().locale.split("-");
  return isKnown(tag) && surroundings !== tag.split("-")[0] ? tag : undefined;
}

function isKnown(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    // Not a valid tag.
    return false;
  }
}

/**
 * Gives texts in the display language by their English sentences, as `t` asks for them.
 * @param texts The texts by the keys of their English sentences. The sentences themselves are in the code: a second
 *   copy of them would be a quarter of all translations.
 */
export function textsBySentence(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return new Proxy(texts, {
    get: (target, sentence) => (typeof sentence === "string" ? target[sentenceKey(sentence)] : undefined),
  });
}

/**
 * What stands for an English sentence in the file of translations: its FNV-1a hash as four digits of base 36. The build
 * fails if two sentences have the same.
 */
export function sentenceKey(sentence: string): string {
  let hash = hashStart;
  for (let at = 0; at < sentence.length; at++) {
    hash = Math.imul(hash ^ sentence.charCodeAt(at), 0x01000193);
  }
  return ((hash >>> 0) % 36 ** keyLength).toString(36).padStart(keyLength, "0");
}

/** The number of characters of each key. */
export const keyLength = 4;
/** Not FNV-1a's own start (0x811c9dc5), with which two sentences would have the same key. */
const hashStart = 0x811c9dc6;
