let current: string | undefined;

/**
 * Says in which language (a tag such as "de") numbers and times are written; told once, beside the translations. Where
 * the surroundings speak it too, they know better: British English has dates of its own.
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
