import type { ServerLists } from "../../core/servers/serverLists.ts";
import type { ServerListSnapshot } from "../../core/servers/serverListState.ts";
import { SnapshotFiles } from "../../storage/files/snapshotFiles.ts";
import { readListOwner } from "./serverListSource.ts";
import type { ServersContext } from "./serversHost.ts";
import { listsFolder } from "./serversHost.ts";

/** What was listed, kept for the next start, when it is painted at once. */
export class KeptLists {
  readonly #context: ServersContext;
  readonly #lists: ServerLists;
  readonly #files: SnapshotFiles;

  constructor(context: ServersContext, serversView: ServerLists) {
    this.#context = context;
    this.#lists = serversView;
    this.#files = new SnapshotFiles(listsFolder(context.storageUri), () => performance.now());
  }

  /** Shows what an earlier session listed with the same profiles and credentials. */
  async restore(): Promise<void> {
    await Promise.all(
      this.#lists.sections.map(async ({ profileName }) => {
        const owner = await readListOwner(this.#context, profileName);
        const stored = owner === undefined ? undefined : await this.#files.read(owner);
        if (stored !== undefined) this.#lists.find(profileName)?.restore(stored);
      }),
    );
  }

  /** Keeps a good response. */
  async keep(profileName: string, snapshot: ServerListSnapshot): Promise<void> {
    if (snapshot.error !== undefined || snapshot.isRestored === true || snapshot.state === "loading") return;
    const owner = await readListOwner(this.#context, profileName);
    // A change of the credential has made another list of it meanwhile.
    const isCurrent = this.#lists.find(profileName)?.current.listedAt === snapshot.listedAt;
    if (owner === undefined || !isCurrent) return;
    await this.#files.write(owner, snapshot);
    await this.#files.forget(profileName, owner);
  }

  /** Removes all that is kept of a profile. */
  async forget(profileName: string): Promise<void> {
    await this.#files.forget(profileName);
  }
}
