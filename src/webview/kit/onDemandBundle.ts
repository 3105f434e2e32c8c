/** Where a bundle is and what allows it to run. */
export interface BundleSource {
  readonly url: string;
  readonly cspNonce: string;
  /** Its styles, where it has some of its own. */
  readonly styleUrl?: string;
}

/**
 * Loads a bundle that the page needs only now. Resolves with what it hands over in the event that it dispatches at its end;
 * rejects where it can't be loaded.
 */
export function loadBundle<Name extends keyof DocumentEventMap>(
  source: BundleSource,
  eventName: Name,
): Promise<DocumentEventMap[Name]> {
  return new Promise((resolve, reject) => {
    document.addEventListener(eventName, (event: DocumentEventMap[Name]) => resolve(event), { once: true });
    const script = document.createElement("script");
    script.nonce = source.cspNonce;
    script.src = source.url;
    script.addEventListener("error", () => reject(new Error(`${source.url} can't be loaded.`)));
    if (source.styleUrl !== undefined) document.head.append(createStyleLink(source.styleUrl));
    document.head.append(script);
  });
}

/** The same, loaded with the first call only; one that failed is tried again with the next. */
export function bundleLoader<Name extends keyof DocumentEventMap>(
  source: BundleSource | undefined,
  eventName: Name,
): () => Promise<DocumentEventMap[Name]> {
  let loading: Promise<DocumentEventMap[Name]> | undefined;
  return () => {
    if (source === undefined)
      return Promise.reject(new Error(`The page does not know where ${eventName} is.`));
    loading ??= loadBundle(source, eventName).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

function createStyleLink(href: string): HTMLLinkElement {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = href;
  return link;
}
