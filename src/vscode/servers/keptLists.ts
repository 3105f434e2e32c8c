import type { ServerLists } from "../../core/servers/serverLists.ts";
import type { ServerListSnapshot } from "../../core/servers/serverListState.ts";
import { SnapshotFiles } from "../../storage/files/snapshotFiles.ts";
import { readListOwner } from "./serverListSource.ts";
import type { ServersContext } from "./serversHost.ts";
import { listsFolder } from "./serversHost.ts";

/** The last lists, stored so that the next start can show them immediately. */
export class KeptLists {
  readonly #context: ServersContext;
  readonly #lists: ServerLists;
  readonly #files: SnapshotFiles;

  constructor(context: ServersContext, serversView: ServerLists) {
    this.#context = context;
    this.#lists = serversView;
    this.#files = new SnapshotFiles(listsFolder(context.storageUri), () => performance.now());
  }

  /** Shows the lists that an earlier session loaded with the same profiles and credentials. */
  async restore(): Promise<void> {
    await Promise.all(
      this.#lists.sections.map(async ({ profileName }) => {
        const owner = await readListOwner(this.#context, profileName);
        const stored = owner === undefined ? undefined : await this.#files.read(owner);
        if (stored !== undefined) this.#lists.find(profileName)?.restore(stored);
      }),
    );
  }

  /** Stores a valid list. */
  async keep(profileName: string, snapshot: ServerListSnapshot): Promise<void> {
    if (snapshot.error !== undefined || snapshot.isRestored === true || snapshot.state === "loading") return;
    const owner = await readListOwner(this.#context, profileName);
    // If the credential has changed in the meantime, the list is a different one.
    const isCurrent = this.#lists.find(profileName)?.current.listedAt === snapshot.listedAt;
    if (owner === undefined || !isCurrent) return;
    await this.#files.write(owner, snapshot);
    await this.#files.forget(profileName, owner);
  }

  /** Removes everything stored for a profile. */
  async forget(profileName: string): Promise<void> {
    await this.#files.forget(profileName);
  }
}
