import type { CompletionChunk } from "./completionChunk.ts";
import type { DeltaTemplate } from "./deltaTemplate.ts";
import { learnDeltaTemplate, matchDelta } from "./deltaTemplate.ts";

/** Reads the chunks that differ from the last parsed one by their delta only, without parsing them. */
export interface DeltaShortcut {
  /** True where the chunk was one of those and its delta was told; false where it has to be parsed. */
  read(data: string): boolean;
  /** To be called with every chunk that was parsed. */
  learn(data: string, chunk: CompletionChunk): void;
}

export interface DeltaHandler {
  onText(text: string): void;
  onReasoning(text: string): void;
}

/** A template that is never used costs three parses: a server that changes every chunk gets no more of them. */
const maxIdleTemplates = 8;

export function createDeltaShortcut(handler: DeltaHandler): DeltaShortcut {
  let template: DeltaTemplate | undefined;
  let isUsed = true;
  let idleTemplates = 0;

  return {
    read(data) {
      const delta = template === undefined ? undefined : matchDelta(template, data);
      if (template === undefined || delta === undefined) return false;
      isUsed = true;
      if (template.kind === "text") handler.onText(delta);
      else handler.onReasoning(delta);
      return true;
    },
    learn(data, chunk) {
      if (idleTemplates >= maxIdleTemplates) return;
      const learnt = learnDeltaTemplate(data, chunk);
      if (learnt === undefined) return;
      idleTemplates = isUsed ? 0 : idleTemplates + 1;
      isUsed = false;
      template = learnt;
    },
  };
}
