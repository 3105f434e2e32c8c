import { t } from "@vscode/l10n";
import { readBaseUrl } from "../account/baseUrl.ts";
import { hasCredential, parseProfileForm } from "../account/profileForm.ts";
import type { ProfileForm, TextField } from "../account/profileForm.ts";
import { isSensitiveName } from "../account/redaction.ts";
import { escapeInvisible, sanitizeLabel } from "../kernel/foreignText.ts";
import { formatNumber } from "../kernel/formatTime.ts";

/** What a `vscode://` link of this extension asks for. The origin of such a link is unknown. */
type OpenedLink =
  | { readonly kind: "chat"; readonly prompt: string }
  | { readonly kind: "profile"; readonly form: Partial<ProfileForm>; readonly facts: readonly LinkFact[] }
  /** Why nothing is opened, as a full sentence that doesn't repeat values. */
  | { readonly kind: "problem"; readonly problem: string };

/** A part of a profile as it is shown for confirmation. */
interface LinkFact {
  readonly label: string;
  readonly value: string;
}

/** Maximum UTF-16 units of a prompt: more can't be read before it is sent. */
const longestPrompt = 8_000;
/** Maximum UTF-16 units of a query. */
const longestQuery = 20_000;

/** All that a link may contain: the addresses, which are shown in full before anything is filled in. */
const profileOptions: Readonly<Partial<Record<TextField, () => string>>> = {
  inferenceBaseUrl: () => t("Inference base URL"),
  gatewayUrl: () => t("GPU gateway URL"),
};

/** Reads a link. Both parts are decoded, as VS Code passes them. */
export function readLink({ path, query }: { readonly path: string; readonly query: string }): OpenedLink {
  if (query.length > longestQuery) return problem(t("The link is too long, so it wasn't opened."));
  switch (path.replace(/^\//, "")) {
    case "chat":
      return readChatLink(query);
    case "profile":
      return readProfileLink(query);
    default:
      return problem(t("This link isn't supported. A link can open a chat with a prompt or add a profile."));
  }
}

/** Everything after the name is the prompt: VS Code has decoded it, so it may contain any character. */
function readChatLink(query: string): OpenedLink {
  const prompt = query.startsWith("prompt=") ? escapeInvisible(query.slice("prompt=".length).trim()) : "";
  if (prompt === "") return problem(t("The link contains no prompt, so no chat was opened."));
  if (prompt.length > longestPrompt)
    return problem(
      t(
        "The prompt in the link is longer than {0} characters, so it wasn't opened.",
        formatNumber(longestPrompt),
      ),
    );
  return { kind: "chat", prompt };
}

function readProfileLink(query: string): OpenedLink {
  const values = new Map<string, string>();
  for (const pair of query.split("&").filter((part) => part !== "")) {
    const at = pair.indexOf("=");
    const name = at === -1 ? pair : pair.slice(0, at);
    const value = at === -1 ? "" : pair.slice(at + 1).trim();
    const refusal = refuseOption(name, value, values);
    if (refusal !== undefined) return problem(refusal);
    values.set(name, value);
  }
  const form = parseProfileForm(Object.fromEntries(values));
  const { inferenceBaseUrl, gatewayUrl } = form;
  if (inferenceBaseUrl === "" && gatewayUrl === "")
    return problem(t("The link contains no address for a profile, so nothing was opened."));
  for (const [url, role] of [
    [inferenceBaseUrl, "inference"],
    [gatewayUrl, "gateway"],
  ] as const) {
    const reading = url === "" ? undefined : readBaseUrl(url, role, false);
    if (reading !== undefined && reading.url === undefined)
      return problem(t("An address in the link can't be used. {0}", reading.problem ?? ""));
  }
  const facts = Object.entries(profileOptions).flatMap(([name, label]) => {
    const value = values.get(name) ?? "";
    return value === "" ? [] : [{ label: label(), value: oneLine(value) }];
  });
  return { kind: "profile", form, facts };
}

function refuseOption(name: string, value: string, known: ReadonlyMap<string, string>): string | undefined {
  if (isSensitiveName(name) || hasCredential(value)) {
    return t(
      "The link contains a credential, so it wasn't opened. Revoke it if it is yours: links are stored in many places.",
    );
  }
  if (!Object.hasOwn(profileOptions, name))
    return t(
      "The link contains “{0}”, which a link can't set, so it wasn't opened.",
      sanitizeLabel(name, 40),
    );
  return known.has(name) ? t("The link contains “{0}” twice, so it wasn't opened.", name) : undefined;
}

/** Each value is one line of the confirmation, so that it can't imitate another one. */
function oneLine(value: string): string {
  return escapeInvisible(value).replace(/\s/g, (space) =>
    space === " " ? space : encodeURIComponent(space),
  );
}

function problem(sentence: string): OpenedLink {
  return { kind: "problem", problem: sentence };
}
