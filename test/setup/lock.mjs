// Only one setup at a time: two commands started together must not install the same thing twice or interfere with each
// other.
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cache } from "./places.mjs";

const file = join(cache, "setup.lock");

/**
 * Runs `run` while no other setup of this user is running. The lock of a process that no longer exists is taken over.
 */
export async function withLock(run) {
  mkdirSync(cache, { recursive: true });
  for (let attempt = 0; !tryLock(); attempt++) {
    if (attempt === 1) process.stderr.write("Waiting for another set-up to finish …\n");
    await sleep(200);
  }
  process.once("exit", unlock);
  try {
    return await run();
  } finally {
    process.off("exit", unlock);
    unlock();
  }
}

/** The process ID and the lock appear at the same time, because creating a link is atomic. */
function tryLock() {
  const own = `${file}-${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (isAbandoned()) unlock();
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

function isAbandoned() {
  try {
    process.kill(Number(readFileSync(file, "utf8")), 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

function unlock() {
  rmSync(file, { force: true });
}
