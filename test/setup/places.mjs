// Locations: the repository, and what is installed once for all of its clones.
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Outside the repository, so that a new clone can use what another one has installed. */
export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "inference-gateway-dev");
