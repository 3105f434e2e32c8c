import type * as vscode from "vscode";
import type { Arrangement, SavedView } from "../../core/servers/arrange/groupServers.ts";
import { parseArrangement, parseSavedViews } from "../../core/servers/arrange/groupServers.ts";
import { isRecord } from "../../core/kernel/json.ts";
import type { ServerAnnotation, ServerAnnotations } from "../../core/servers/marks/serverAnnotation.ts";
import { changeMark, parseMarks } from "../../core/servers/marks/serverAnnotation.ts";

const arrangementKey = "inferenceGateway.servers.arrangement";
const viewsKey = "inferenceGateway.servers.views";

/** How the servers are shown in this workspace, and the saved views, which are shared by all workspaces. */
export class ArrangementStore {
  readonly #workspace: vscode.Memento;
  readonly #global: vscode.Memento;

  constructor(workspace: vscode.Memento, global: vscode.Memento) {
    this.#workspace = workspace;
    this.#global = global;
  }

  read(): Arrangement {
    return parseArrangement(this.#workspace.get(arrangementKey));
  }

  async write(arrangement: Arrangement): Promise<void> {
    await this.#workspace.update(arrangementKey, arrangement);
  }

  views(): readonly SavedView[] {
    return parseSavedViews(this.#global.get(viewsKey));
  }

  async writeViews(views: readonly SavedView[]): Promise<void> {
    await this.#global.update(viewsKey, views);
  }
}

const annotationsKey = "inferenceGateway.serverMarks";

/** Pins, notes and aliases of servers by the origin of their gateway. They stay on this machine. */
export class ServerAnnotationStore {
  readonly #state: vscode.Memento;
  readonly #parsed = new Map<string, ServerAnnotations>();

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** Returns the same object until something changes. */
  of(origin: string): ServerAnnotations {
    const known = this.#parsed.get(origin);
    if (known !== undefined) return known;
    const stored: unknown = this.#state.get(annotationsKey);
    const marks = parseMarks(isRecord(stored) ? stored[origin] : undefined);
    this.#parsed.set(origin, marks);
    return marks;
  }

  async change(origin: string, serverKey: string, change: ServerAnnotation): Promise<void> {
    // Another window may have written in the meantime, and its annotations must be kept.
    this.#parsed.delete(origin);
    const marks = new Map(this.of(origin));
    const mark = changeMark(marks.get(serverKey), change);
    if (mark === undefined) marks.delete(serverKey);
    else marks.set(serverKey, mark);
    this.#parsed.set(origin, marks);
    const stored: unknown = this.#state.get(annotationsKey);
    const others = isRecord(stored) ? stored : {};
    await this.#state.update(annotationsKey, { ...others, [origin]: Object.fromEntries(marks) });
  }
}
