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
