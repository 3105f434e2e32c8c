import { t } from "@vscode/l10n";
import { formatRemaining } from "../../kernel/formatTime.ts";
import { runningSince } from "../cost/serverRun.ts";
import type { Server } from "../server.ts";
import { factText, statusText } from "../serverLabels.ts";

const dayMs = 86_400_000;

/**
 * A server's status, for how long, and why: `Starting for 4 min · pulling image`, `Failed 12 min ago: CUDA driver error`,
 * `Running for 9 d`. Less than a day of running isn't shown, so that rows don't change with every minute.
 * @param times In milliseconds since 1970. `changedAt`: when a list first showed this status; undefined if it always did.
 */
export function statusLine(
  server: Server,
  {
    changedAt,
    listedAt,
    now,
  }: Readonly<Record<"listedAt" | "now", number>> & { readonly changedAt?: number | undefined },
): string {
  const { status, statusSince, statusReason, statusText: word } = server;
  const stated = statusSince === undefined ? NaN : Date.parse(statusSince.value);
  const since = stated <= now ? stated : changedAt;
  const time = since === undefined ? undefined : formatRemaining(now - since);
  const reason = factText(statusReason, 80);
  switch (status) {
    case "starting":
      return [time === undefined ? statusText(server) : t("Starting for {0}", time), reason]
        .filter(Boolean)
        .join(" · ");
    case "stopping":
      return time === undefined ? statusText(server) : t("Stopping for {0}", time);
    case "error": {
      const failed = time === undefined ? statusText(server) : t("Failed {0} ago", time);
      const why = reason || (time === undefined ? "" : factText(word, 60));
      return why === "" ? failed : t("{0}: {1}", failed, why);
    }
    case "running": {
      const running = runningSince(server, listedAt);
      const isLong = running !== undefined && now - running >= dayMs;
      return isLong ? t("Running for {0}", formatRemaining(now - running)) : statusText(server);
    }
    default:
      return statusText(server);
  }
}
