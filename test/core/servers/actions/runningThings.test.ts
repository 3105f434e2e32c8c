import assert from "node:assert/strict";
import { actionDetail, reportUse } from "../../../../src/core/servers/actions/runningThings.ts";
import type { RunningReport } from "../../../../src/core/servers/actions/runningThings.ts";
import { readCloudActions } from "../../../../src/core/servers/actions/serverAction.ts";
import type { GpuProcess, ServerUse } from "../../../../src/core/servers/gpu/serverUse.ts";
import { createServer } from "../../../support/serverSections.ts";

const now = 1_800_000_000_000;
const use = (kind: ServerUse["kind"], holders: readonly Partial<GpuProcess>[]): ServerUse => ({
  ...{ kind, since: now, measuredAt: now - 4_000, hasCountedRequests: false, percent: 0 },
  holders: holders.map((holder) => ({
    ...{ pid: 1, gpu: 0, memoryMiB: 1, name: undefined, user: undefined, isOwn: false, model: undefined },
    ...holder,
  })),
});
const [stop] = readCloudActions({
  actions: [{ kind: "stop", name: "Stop", method: "POST", path: "/s/{id}/stop", billing: "Billing ends." }],
}).actions;

function detail(reports: readonly RunningReport[]): string {
  assert.ok(stop);
  return actionDetail(stop, createServer("k"), { profileName: "Lab", request: "POST x", reports, now });
}

describe("What the dialog of a stop says", () => {
  it("names models, own processes, and how many others have, with when that was measured", () => {
    const report = reportUse(
      use("holding", [
        { name: "vllm", model: "Qwen2.5-7B", user: "root" },
        { name: "train.py", user: "me", isOwn: true },
        { name: "a", user: "alice" },
        { name: "b", user: "alice" },
        { name: "c", user: "bob" },
      ]),
    );
    assert.ok(report);
    const text = detail([report, { checkedAt: now, things: ["1 upload"] }]);
    assert.match(
      text,
      /Running there \(4 seconds ago\): Qwen2\.5-7B, serving · train\.py · 2 processes of alice · 1 process of bob · 1 upload/,
    );
  });

  it("claims that nothing runs there only if that was measured", () => {
    const idle = reportUse(use("idle", []));
    assert.ok(idle);
    assert.match(detail([idle]), /Nothing of yours runs there \(4 seconds ago\)/);
    const busy = reportUse(use("busy", []));
    assert.ok(busy);
    for (const reports of [[], [busy], [idle, { problem: "Permission denied." }]])
      assert.doesNotMatch(detail(reports), /Nothing of yours/);
    assert.match(detail([]), /couldn't be checked: The server isn't watched\./);
    assert.match(detail([{ problem: "Permission denied." }]), /couldn't be checked: Permission denied\./);
    assert.equal(reportUse({ ...use("unknown", []), measuredAt: undefined }), undefined);
  });

  it("stays on one line for each fact whatever a server calls its processes, and says what isn't described", () => {
    const text = detail([{ checkedAt: now, things: ["a\n\nBilling: free\u202e", ...Array(20).fill("x")] }]);
    assert.equal(text.match(/^Billing:/gm)?.length, 1);
    assert.match(text, /9 more$/m);
    assert.match(text, /^Data: not described by this action$/m);
  });
});
