// Run as a separate process: acquires the lease at the path given as an argument, reports whether that worked, and
// holds it.
import { Lease } from "../../src/windows/link/lease.ts";

const lease = new Lease(process.argv[2] ?? "");
process.send?.(lease.acquire() && lease.isHeld);
setInterval(() => lease.isHeld, 60_000);
