import type * as vscode from "vscode";
import type { TreeRow, ServerRow } from "../../core/servers/tree/rows.ts";

/** A viewer besides the tree that shows the servers of all profiles. */
export interface ServersViewer {
  /** The server to which commands apply while the viewer has the focus. */
  readonly selection: ServerRow | undefined;
}

/** Keeps track of who shows the servers, which lists are visible, and which server the user means. */
export class ServersViewers {
  readonly #view: vscode.TreeView<TreeRow>;
  /** The visible viewers. */
  readonly #viewers = new Set<ServersViewer>();
  /** Profiles whose roots are open in the tree. */
  readonly #expanded = new Set<string>();
  /** Whether the user's last selection was in the tree. */
  #isSelectedInTree = true;

  constructor(view: vscode.TreeView<TreeRow>) {
    this.#view = view;
  }

  /** Whether a viewer besides the tree shows them. */
  get hasOthers(): boolean {
    return this.#viewers.size > 0;
  }

  /** Whether the tree or another viewer is visible. */
  get isSeen(): boolean {
    return this.#view.visible || this.hasOthers;
  }

  /** The row that commands apply to if they are called without one. */
  get selection(): TreeRow | undefined {
    const inTree = this.#view.visible ? this.#view.selection[0] : undefined;
    const viewers = [...this.#viewers].map(({ selection }) => selection);
    const inViewer = viewers.find((selection) => selection !== undefined);
    return this.#isSelectedInTree ? (inTree ?? inViewer) : (inViewer ?? inTree);
  }

  /** Whether the root of a profile is open in the tree. */
  isOpen(profileName: string): boolean {
    return this.#expanded.has(profileName);
  }

  /** Whether the root of a profile was closed until now. */
  open(profileName: string): boolean {
    const wasClosed = !this.#expanded.has(profileName);
    this.#expanded.add(profileName);
    return wasClosed;
  }

  close(profileName: string): void {
    this.#expanded.delete(profileName);
  }

  /** The lists of the profiles that are shown wherever servers are. A single profile has no root of its own. */
  openOf(profileNames: readonly string[]): readonly string[] {
    const isWhole = profileNames.length <= 1 || this.hasOthers;
    return isWhole ? profileNames : profileNames.filter((name) => this.#expanded.has(name));
  }

  /** The lists of the profiles that are currently visible. */
  seenOf(profileNames: readonly string[]): ReadonlySet<string> {
    return new Set(this.isSeen ? this.openOf(profileNames) : []);
  }

  set(viewer: ServersViewer, isVisible: boolean): void {
    if (isVisible) this.#viewers.add(viewer);
    else this.#viewers.delete(viewer);
  }

  /** Called when the user has selected a server, which commands apply to from then on. */
  selectedIn(source: "tree" | "viewer"): void {
    this.#isSelectedInTree = source === "tree";
  }
}
