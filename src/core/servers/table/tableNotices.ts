import { t } from "@vscode/l10n";
import type { SecretKind } from "../../kernel/credential.ts";
import type { ErrorFacts } from "../../kernel/errors.ts";
import { localGatewayProfileName } from "../../localGateway/localGatewayControl.ts";
import { sanitizeLabel } from "../../kernel/sanitizeLabel.ts";
import { partialText } from "../tree/rowLabels.ts";
import type { ServerSection } from "../tree/rows.ts";

const noticeActions = [
  "refresh",
  "addProfile",
  "startLocalGateway",
  "apiKey",
  "accessKey",
  "sessionToken",
  "stsToken",
  "openProfiles",
  "diagnose",
  "clearFilter",
  "useHttp",
  "useHttps",
] as const;
/** What mends it; the names of secrets mean to set them. */
export type NoticeAction = (typeof noticeActions)[number];

/** What is the matter with a profile's list, and what can be done about it. */
export interface TableNotice {
  readonly profileName: string;
  readonly isFailure: boolean;
  readonly title: string;
  /** A sentence, or empty. */
  readonly message: string;
  /** When the rows came that are still shown, in milliseconds since 1970. */
  readonly listedAt?: number;
  /** When it is tried again, in milliseconds since 1970. */
  readonly nextTryAt?: number;
  readonly actions: readonly NoticeAction[];
}

export function parseNoticeAction(value: unknown): NoticeAction | undefined {
  return noticeActions.find((action) => action === value);
}

/** The words on the button. */
export function noticeActionLabel(action: NoticeAction): string {
  return actionLabels[action]();
}

const actionLabels: Readonly<Record<NoticeAction, () => string>> = {
  refresh: () => t("Refresh"),
  addProfile: () => t("Add Profile…"),
  startLocalGateway: () => t("Start Local Gateway"),
  apiKey: () => t("Set API Key"),
  accessKey: () => t("Set Access Key"),
  sessionToken: () => t("Set Session Token"),
  stsToken: () => t("Set STS Token"),
  openProfiles: () => t("Open Profiles"),
  diagnose: () => t("Diagnose Connection"),
  clearFilter: () => t("Clear Filter"),
  useHttp: () => t("Use {0}://", "http"),
  useHttps: () => t("Use {0}://", "https"),
};

/** What has to be told of these profiles. `shown` is how many servers the filter leaves. */
export function tableNotices(sections: readonly ServerSection[], shown: number): readonly TableNotice[] {
  const notices = sections.flatMap((section) => noticeOf(section, sections.length === 1));
  const known = sections.reduce((sum, { snapshot }) => sum + snapshot.servers.length, 0);
  if (shown > 0 || known === 0) return notices;
  const title = t("No server matches the filter");
  return [...notices, { profileName: "", isFailure: false, title, message: "", actions: ["clearFilter"] }];
}

function noticeOf(section: ServerSection, isAlone: boolean): readonly TableNotice[] {
  const { profileName, snapshot, nextTryAt } = section;
  const { state, error, servers, listedAt } = snapshot;
  const message = error?.message ?? "";
  const tell = (
    title: string,
    actions: readonly NoticeAction[],
    facts: Partial<TableNotice> = {},
  ): readonly TableNotice[] => {
    const named = isAlone ? title : `${sanitizeLabel(profileName, 100)}: ${title}`;
    return [{ profileName, isFailure: error !== undefined, title: named, message, actions, ...facts }];
  };
  const next = nextTryAt === undefined ? {} : { nextTryAt };
  const isStopped = profileName === localGatewayProfileName && error?.reason === "unreachable";
  const mends = error === undefined ? [] : mendingActions(error);
  const starts: readonly NoticeAction[] = isStopped ? ["startLocalGateway", ...mends] : mends;
  if (error !== undefined && servers.length > 0) {
    return tell(t("Could not refresh"), starts, { ...next, ...(listedAt === undefined ? {} : { listedAt }) });
  }
  switch (state) {
    case "signedOut":
      if (profileName === "") return tell(t("There is no profile yet"), ["addProfile", "startLocalGateway"]);
      return tell(t("Not signed in"), mends);
    case "failed":
      return tell(t("Could not list the servers"), starts, next);
    case "empty":
      return tell(t("No servers"), ["refresh"]);
    case "loading":
      return tell(t("Listing the servers…"), []);
    case "ready": {
      const partial = partialText(snapshot);
      return partial === undefined ? [] : tell(t("Incomplete list"), ["openProfiles"], { message: partial });
    }
  }
}

const refusals: Readonly<Record<string, SecretKind>> = {
  apiKey: "apiKey",
  sessionToken: "sessionToken",
  stsToken: "stsToken",
  signature: "accessKey",
};

/** A refusal is about the credential that was sent, whichever the gateway asks for. */
function mendingActions({ reason, credential, scheme }: ErrorFacts): readonly NoticeAction[] {
  if (reason === "missingCredential") return [credential ?? "openProfiles"];
  if (reason === "wrongScheme")
    return [scheme === "http" ? "useHttp" : "useHttps", "openProfiles", "refresh"];
  const refused = refusals[reason];
  if (refused === undefined) return ["refresh", "diagnose"];
  return [...new Set([credential ?? refused, refused]), "refresh", "diagnose"];
}
