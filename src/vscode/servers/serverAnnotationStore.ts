import type * as vscode from "vscode";
import { isRecord } from "../../core/kernel/json.ts";
import type { ServerAnnotation, ServerAnnotations } from "../../core/servers/marks/serverAnnotation.ts";
import { parseMarks } from "../../core/servers/marks/serverAnnotation.ts";

const annotationsKey = "inferenceGateway.serverMarks";

/** Which servers are pinned, watched and muted, by the origin of their gateway. This stays on this machine. */
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
    marks.set(serverKey, { ...marks.get(serverKey), ...change });
    this.#parsed.set(origin, marks);
    const stored: unknown = this.#state.get(annotationsKey);
    const others = isRecord(stored) ? stored : {};
    await this.#state.update(annotationsKey, { ...others, [origin]: Object.fromEntries(marks) });
  }
}
