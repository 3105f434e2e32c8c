import { t } from "@vscode/l10n";
import { networkNotes } from "./setupFacts.ts";
import type { Setup, SetupFacts } from "./setupFacts.ts";
import { setupFiles } from "./setupFiles.ts";
import { comments } from "./setupFormats.ts";
import { setupPrograms } from "./setupPrograms.ts";

/** Every client that can be set up, in the order in which they are offered. The key is never part of a setup. */
const setups = { ...setupPrograms, ...setupFiles };

export type SetupId = keyof typeof setups;

const table: Readonly<Record<SetupId, Setup>> = setups;

export interface SetupChoice {
  readonly id: SetupId;
  readonly label: string;
  readonly hint: string;
}

/** The clients in the order in which they are offered. */
export function setupChoices(): readonly SetupChoice[] {
  return (Object.keys(setups) as SetupId[]).map((id) => ({
    id,
    label: table[id].label(),
    hint: table[id].hint(),
  }));
}

/** The setup of a client, or a sentence about why there is none. */
export function setupText(
  id: SetupId,
  facts: SetupFacts,
): { readonly text: string; readonly language: string } | { readonly problem: string } {
  const { replaces, language, label, text } = table[id];
  const foreign = [facts.profile, facts.model, facts.baseUrl, ...Object.entries(facts.headers).flat()];
  const replaced = replaces === undefined ? undefined : foreign.find((part) => replaces.test(part));
  if (replaced !== undefined)
    return {
      problem: t("“{0}” contains text that {1} would replace. Rename it first.", replaced, label()),
    };
  const mark = language === "jsonc" || language === "javascript" ? "//" : "#";
  return { text: `${comments(mark, networkNotes(facts))}${text(facts)}`, language };
}
