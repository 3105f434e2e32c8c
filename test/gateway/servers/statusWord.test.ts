import assert from "node:assert/strict";
import type { ServerStatus } from "../../../src/core/servers/server.ts";
import { statusWord } from "../../../src/gateway/servers/statusFact.ts";

const cases: Readonly<Record<ServerStatus, string>> = {
  running:
    "running|RUNNING|Active|ACTIVE|on|up|Up 3 hours|poweredOn|POWERED_ON|power_on|started|in-use|online|Ready|" +
    "STATE_RUNNING|INSTANCE_STATUS_RUNNING|PowerState/running|VM running|ALLOCATED|healthy",
  starting:
    "booting|CREATING|BUILD|Provisioning|PENDING|Pending Recovery|rebooting|HARD_REBOOT|starting|STAGING|queued|new|" +
    "initializing|Restarting (1) 5 seconds ago|POWERING_ON|rebuilding|ContainerCreating|scheduling|resizing",
  stopped:
    "stopped|off|SHUTOFF|shut off|halted|terminated|Released|deallocated|VM deallocated|Suspended|paused|" +
    "Exited (0) 3 minutes ago|poweredOff|POWERED_OFF|archive|inactive|offline|SHELVED_OFFLOADED|STOPPED_DEALLOCATED|" +
    "Deleted|expired|Succeeded|stopped in place",
  stopping:
    "stopping|Deleting|In Destruction|shutting-down|Shutting Down|in shutdown|deallocating|terminating|SUSPENDING|" +
    "POWERING_OFF|Pending Destruction|IDLE + DRAIN|deprovisioning",
  error:
    "error|ERROR|failed|LAUNCH_FAILED|crashed|Unschedulable|CrashLoopBackOff|ERROR_DELETING|down|NotReady|unhealthy|" +
    "Provisioning failed",
  unknown: "|unknown|16|true|foo|NOSTATE|VERIFY_RESIZE|not active|provisioning succeeded|運行|n/a|??",
};

describe("statusWord", () => {
  for (const [status, words] of Object.entries(cases)) {
    for (const word of words.split("|")) {
      it(`maps “${word}” to ${status}`, () => assert.equal(statusWord(word), status));
    }
  }
});
