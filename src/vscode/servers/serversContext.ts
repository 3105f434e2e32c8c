import type { Profile } from "../../core/account/profile.ts";
import type { ServerSection } from "../../core/servers/tree/rows.ts";
import { setContextKey } from "../shell/contextKey.ts";

/**
 * Keeps the context keys up to date that determine the welcome content and the menu items: the state of the list, the
 * reason for a failure, which credential is missing, whether a filter hides servers, and whether any server is watched.
 */
export class ServersContextKeys {
  readonly #values = new Map<string, string | boolean>();

  /** @param find The profile with a name. */
  update(
    sections: readonly ServerSection[],
    isFiltered: boolean,
    find: (profileName: string) => Profile | undefined,
  ): void {
    const shown = sections.find(({ isActive }) => isActive) ?? sections[0];
    const isReady = sections.some(({ snapshot }) => snapshot.state === "ready");
    this.#set("failure", shown?.snapshot.error?.reason ?? "");
    const missing = shown?.snapshot.error?.credential;
    // Nothing is missing if a source in the profile supplies it: the user hasn't allowed the source yet.
    const isSupplied =
      missing !== undefined && find(shown?.profileName ?? "")?.credentialSources?.[missing] !== undefined;
    this.#set("missingCredential", isSupplied ? "source" : (missing ?? ""));
    this.#set("state", isReady ? "ready" : (shown?.snapshot.state ?? "signedOut"));
    this.#set("isFiltered", isFiltered);
    const isAnyWatched = sections.some(({ marks }) => [...marks.values()].some(({ isWatched }) => isWatched));
    this.#set("isAnyWatched", isAnyWatched);
  }

  #set(name: string, value: string | boolean): void {
    if (this.#values.get(name) === value) return;
    this.#values.set(name, value);
    setContextKey(`inferenceGateway.servers.${name}`, value);
  }
}
