// Run as a process of its own: takes the lease at the path given as argument, says whether it got it, and holds it.
import { PollLease } from "../../src/windows/servers/pollLease.ts";

const lease = new PollLease(process.argv[2] ?? "");
process.send?.(lease.acquire() && lease.isHeld);
setInterval(() => lease.isHeld, 60_000);
