/** How far outside the viewport something counts as near. */
const options = { scrollMargin: "600px" };
/** Parts of a message that contain many blocks (sections.ts) or many parts of one block (domTarget.ts). */
const groups = ".part-group, .section, .chapter";

/** An element that has come near the viewport or has moved away from it. */
export type NearChange = Pick<IntersectionObserverEntry, "target" | "isIntersecting">;

/**
 * Observes which elements of messages are near the viewport. The browser looks at every observed element several times
 * per frame, and a message can have thousands: those in a group that is far away are replaced by the outermost such
 * group.
 */
export class NearViewport {
  readonly #onChange: (changes: readonly NearChange[]) => void;
  readonly #observer = new IntersectionObserver((entries) => this.#onEntries(entries), options);
  /** The elements and groups to observe in each group. */
  readonly #members = new WeakMap<Element, Set<Element>>();
  readonly #groupOf = new WeakMap<Element, Element>();
  readonly #nearGroups = new WeakSet<Element>();

  /**
   * @param onChange Called with the elements that have just been added, and later with those that come near or leave.
   */
  constructor(onChange: (changes: readonly NearChange[]) => void) {
    this.#onChange = onChange;
  }

  observe(element: Element): void {
    const group = element.parentElement?.closest(groups) ?? undefined;
    if (group === undefined) return this.#observer.observe(element);
    const members = this.#members.get(group) ?? new Set();
    this.#members.set(group, members.add(element));
    this.#groupOf.set(element, group);
    if (this.#nearGroups.has(group)) this.#observer.observe(element);
    else this.observe(group);
  }

  unobserve(element: Element): void {
    this.#observer.unobserve(element);
    // The element may have been removed from it.
    const group = this.#groupOf.get(element);
    if (group !== undefined) this.#members.get(group)?.delete(element);
  }

  #onEntries(entries: readonly NearChange[]): void {
    const changes: NearChange[] = [];
    for (const { target, isIntersecting } of entries) {
      if (!target.matches(groups)) changes.push({ target, isIntersecting });
      else if (isIntersecting) this.#enter(target);
      else this.#leave(target, changes);
    }
    if (changes.length > 0) this.#onChange(changes);
  }

  #enter(group: Element): void {
    this.#nearGroups.add(group);
    for (const member of this.#members.get(group) ?? []) this.#observer.observe(member);
  }

  /** Adds the elements in the group to the changes. */
  #leave(group: Element, changes: NearChange[]): void {
    const members = this.#members.get(group);
    if (this.#nearGroups.delete(group)) {
      for (const member of members ?? []) {
        this.#observer.unobserve(member);
        if (member.matches(groups)) this.#leave(member, changes);
        else changes.push({ target: member, isIntersecting: false });
      }
    }
    if (members === undefined || members.size === 0) this.unobserve(group);
  }
}
