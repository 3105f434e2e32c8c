import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import type { ServerSection } from "../tree/rows.ts";
import type { RemedyBy } from "../../account/remedies.ts";
import { remediesBy } from "../../account/remedies.ts";
import { sectionNotice } from "../tree/sectionNotice.ts";

/** An action that a notice in the table can offer. */
export type TableRemedy = RemedyBy<"anywhere" | "servers">;

const tableRemedies: readonly TableRemedy[] = remediesBy("anywhere", "servers");

/** A problem with a profile's list, and what can be done about it. */
export interface TableNotice {
  readonly profileName: string;
  readonly isFailure: boolean;
  readonly title: string;
  /** A sentence; may be empty. */
  readonly message: string;
  /** When the rows that are still shown were received, in milliseconds since 1970. */
  readonly listedAt?: number;
  /** When the request is retried, in milliseconds since 1970. */
  readonly nextTryAt?: number;
  /** The scheme that the server uses on its port, if it differs from the address. */
  readonly scheme?: "http" | "https";
  readonly actions: readonly TableRemedy[];
}

export function parseTableRemedy(value: unknown): TableRemedy | undefined {
  return tableRemedies.find((remedy) => remedy === value);
}

/** The notices for these profiles. `shown` is the number of servers that pass the filter. */
export function tableNotices(sections: readonly ServerSection[], shown: number): readonly TableNotice[] {
  const notices = sections.flatMap((section) => noticeOf(section, sections.length === 1));
  const known = sections.reduce((sum, { snapshot }) => sum + snapshot.servers.length, 0);
  if (shown > 0 || known === 0) return notices;
  const title = t("No server matches the filter");
  return [...notices, { profileName: "", isFailure: false, title, message: "", actions: ["clearFilter"] }];
}

function noticeOf(section: ServerSection, isAlone: boolean): readonly TableNotice[] {
  const { profileName, snapshot, nextTryAt } = section;
  const { error } = snapshot;
  const notice = sectionNotice(section);
  if (notice === undefined) return [];
  const { title, message, isFailure, listedAt, remedies } = notice;
  return [
    {
      profileName,
      isFailure,
      title: isAlone ? title : `${sanitizeLabel(profileName, 100)}: ${title}`,
      message,
      actions: remedies,
      ...(error?.scheme === undefined ? {} : { scheme: error.scheme }),
      ...(listedAt === undefined ? {} : { listedAt }),
      ...(nextTryAt === undefined || !isFailure ? {} : { nextTryAt }),
    },
  ];
}
