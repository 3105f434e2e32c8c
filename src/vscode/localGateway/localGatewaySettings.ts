import * as vscode from "vscode";
import { readBaseUrl } from "../../core/account/baseUrl.ts";
import type { FindUpstreams, LocalGatewayOptions } from "../../core/localGateway/localGateway.ts";
import { showQuickPick, withProgress } from "../shell/window.ts";
import { noIcons } from "../../core/kernel/noIcons.ts";

/** Whether the local gateway starts with the extension. */
export function startsAutomatically(): boolean {
  return configuration().get("startAutomatically") === true;
}

/**
 * The options of the settings; asks for the model server where the setting says `ask` and someone is there to be
 * asked. Undefined when the user turns away. Throws a sentence where the upstream is no URL.
 */
export async function readLocalGatewayOptions(
  findUpstreams: FindUpstreams,
  { isAutomatic }: { readonly isAutomatic: boolean },
): Promise<LocalGatewayOptions | undefined> {
  const settings = configuration();
  const written: unknown = settings.get("upstream");
  const choice = typeof written === "string" ? written.trim() : "";
  const upstream = choice === "ask" ? (isAutomatic ? "" : await pickUpstream(findUpstreams)) : choice;
  if (upstream === undefined) return undefined;
  return {
    port: readNumber(settings.get("port"), 0),
    tokensPerSecond: readNumber(settings.get("tokensPerSecond"), 60),
    seed: readNumber(settings.get("seed"), 1),
    ...(upstream === "" ? {} : { upstream: requireUrl(upstream) }),
  };
}

/** Empty for the demo models. */
async function pickUpstream(findUpstreams: FindUpstreams): Promise<string | undefined> {
  const found = await withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Looking for model servers…") },
    () => findUpstreams(),
  );
  const demo = {
    label: vscode.l10n.t("Demo models"),
    description: vscode.l10n.t("nothing to install; clearly labeled as demos"),
    url: "",
  };
  const servers = found.map(({ name, url, models }) => ({
    label: noIcons(name),
    description: url,
    detail: models.join(", "),
    url,
  }));
  const picked = await showQuickPick([...servers, demo], {
    title: vscode.l10n.t("Start Local Gateway"),
    placeHolder: vscode.l10n.t("Select where responses come from"),
  });
  return picked?.url;
}

function requireUrl(text: string): string {
  const { url, problem } = readBaseUrl(text, "inference", true);
  if (url !== undefined) return url;
  const sentence = vscode.l10n.t("The setting “inferenceGateway.localGateway.upstream” {0}.", problem ?? "");
  throw new Error(sentence);
}

function readNumber(value: unknown, fallback: number): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : fallback;
}

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("inferenceGateway.localGateway");
}
