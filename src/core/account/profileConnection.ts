import { t } from "@vscode/l10n";
import { readHttpAddress } from "../kernel/httpAddress.ts";
import { isLoopbackHost } from "../kernel/loopback.ts";
import type { Profile } from "./profile.ts";
import type { ProfileEntry } from "./profileEntry.ts";

export const connectionOptions = ["consoleUrl", "timeout", "proxy", "caFile", "defaultModel"] as const;

/** The options of a profile about its connections and what it starts with. */
export type ProfileConnection = Pick<
  Profile,
  "consoleUrl" | "timeoutMs" | "proxy" | "caFile" | "defaultModel"
>;

/** The longest time that a timer supports is 24 days. */
const longestTimeoutSeconds = 86_400;

/** Reads these options; an invalid one is reported and left out, so that the setting for all profiles applies. */
export function readConnection(entry: ProfileEntry): ProfileConnection {
  const consoleUrl = check(entry, "consoleUrl", isConsole, () =>
    t("“consoleUrl” must be the https:// URL of the console, without a user name or password."),
  );
  const proxy = check(entry, "proxy", isProxy, () =>
    t(
      "“proxy” must be a URL such as http://proxy.example:3128, or “direct”. A proxy with a password is set in VS Code's http.proxy.",
    ),
  );
  const caFile = check(entry, "caFile", isPath, () =>
    t("“caFile” must be an absolute path of a PEM file, or a path that starts with ~/."),
  );
  const defaultModel = check(entry, "defaultModel", isModel, () =>
    t("“defaultModel” must be the name of a model, such as example/model."),
  );
  const timeoutMs = readTimeout(entry);
  return {
    ...(consoleUrl === undefined ? {} : { consoleUrl }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(proxy === undefined ? {} : { proxy }),
    ...(caFile === undefined ? {} : { caFile }),
    ...(defaultModel === undefined ? {} : { defaultModel }),
  };
}

function check(
  entry: ProfileEntry,
  option: string,
  isValid: (text: string) => boolean,
  problem: () => string,
): string | undefined {
  const text = entry.text(option);
  if (text === undefined || text === "") return undefined;
  if (isValid(text)) return text;
  entry.report(problem());
  return undefined;
}

function readTimeout(entry: ProfileEntry): number | undefined {
  const value = entry.raw("timeout");
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && value >= 1 && value <= longestTimeoutSeconds) return value * 1_000;
  entry.report(t("“timeout” must be a number of seconds from 1 to {0}.", longestTimeoutSeconds));
  return undefined;
}

function isConsole(text: string): boolean {
  const reading = readHttpAddress(text);
  return "address" in reading && (reading.address.scheme === "https" || isLoopbackHost(reading.address.host));
}

function isProxy(text: string): boolean {
  const reading = readHttpAddress(text);
  return text === "direct" || ("address" in reading && /^\/?$/.test(reading.address.path));
}

/** `~/` is the home directory. */
function isPath(text: string): boolean {
  return /^(?:~[\\/]|[\\/]|[A-Za-z]:[\\/])[^\0]{1,1000}$/.test(text);
}

function isModel(text: string): boolean {
  return /^[^\s\p{Cc}\p{Cf}]{1,300}$/u.test(text);
}
