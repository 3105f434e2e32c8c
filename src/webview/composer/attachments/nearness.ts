const callbacks = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

/** Calls back once, when the element is in sight or about to come into it. */
export function whenNear(element: Element, onNear: () => void): void {
  observer ??= new IntersectionObserver(onChange, { rootMargin: "600px 0px" });
  callbacks.set(element, onNear);
  observer.observe(element);
}

function onChange(entries: readonly IntersectionObserverEntry[]): void {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    observer?.unobserve(target);
    callbacks.get(target)?.();
    callbacks.delete(target);
  }
}
