let current: string | undefined;

/**
 * Sets the language (a tag such as "de") in which numbers and times are formatted. It is set once, together with the
 * translations. If the environment uses the same language, its regional variant is preferred: British English has its
 * own date format.
 */
export function setDisplayLanguage(tag: string): void {
  const [surroundings] = new Intl.NumberFormat().resolvedOptions().locale.split("-");
  current = isKnown(tag) && surroundings !== tag.split("-")[0] ? tag : undefined;
}

/** The tag of the language that is shown; undefined leaves it to the surroundings. */
export function displayLanguage(): string | undefined {
  return current;
}

function isKnown(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    // Not a tag at all.
    return false;
  }
}
