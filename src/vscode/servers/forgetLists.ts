import { SnapshotFiles } from "../../storage/files/snapshotFiles.ts";
import { readListOwner } from "./serverListSource.ts";
import type { ServersContext } from "./serversHost.ts";
import { listsFolder } from "./serversHost.ts";

/** Deletes the lists that were loaded with a credential that the profile no longer uses. */
export async function forgetLists(context: ServersContext, profileName: string): Promise<void> {
  const owner = await readListOwner(context, profileName);
  const files = new SnapshotFiles(listsFolder(context.storageUri), () => performance.now());
  await files.forget(profileName, owner);
}
