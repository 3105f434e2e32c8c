import * as vscode from "vscode";
import type { LoadedImage } from "../../../core/kernel/images.ts";
import { confirmRisk } from "../../shell/window.ts";

/** Loads images from other hosts. For each host, a VS Code dialog asks the user once. */
export class RemoteImages {
  readonly #fetch: (url: string) => Promise<LoadedImage>;
  /** By host. If the user declines, the next click asks again. */
  readonly #hosts = new Map<string, Promise<boolean>>();

  constructor(fetch: (url: string) => Promise<LoadedImage>) {
    this.#fetch = fetch;
  }

  /** The image, or why it isn't loaded. */
  async load(url: string): Promise<LoadedImage> {
    const host = hostOf(url);
    // A URL without a host is rejected with its own message, without a request.
    if (host !== undefined && !(await this.#mayLoad(host, url)))
      return { error: vscode.l10n.t("The image wasn't loaded.") };
    return this.#fetch(url);
  }

  async #mayLoad(host: string, url: string): Promise<boolean> {
    const asked = this.#hosts.get(host) ?? ask(host, url);
    this.#hosts.set(host, asked);
    const isAllowed = await asked.catch(() => false);
    if (!isAllowed) this.#hosts.delete(host);
    return isAllowed;
  }
}

async function ask(host: string, url: string): Promise<boolean> {
  const load = vscode.l10n.t("Load Images");
  const detail = vscode.l10n.t(
    "{0}\n\nThe host will see your IP address and when you view this conversation. You won't be asked again for this host until the window is closed.",
    url,
  );
  const question = vscode.l10n.t("Load images from {0}?", host);
  return confirmRisk({ question, detail, accept: load, decline: vscode.l10n.t("Don't Load") });
}

function hostOf(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed?.protocol === "https:" ? parsed.host : undefined;
}
