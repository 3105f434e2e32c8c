import assert from "node:assert/strict";
import {
  costStatus,
  costlyServers,
  idleDigest,
  longIdle,
} from "../../../../src/core/servers/cost/costStatus.ts";
import { runsOnce } from "../../../../src/core/servers/cost/serverRun.ts";
import type { ServerRun } from "../../../../src/core/servers/cost/serverRun.ts";
import type { ServerUse } from "../../../../src/core/servers/gpu/serverUse.ts";
import type { Server, ServerStatus } from "../../../../src/core/servers/server.ts";
import { serverName } from "../../../../src/core/servers/serverLabels.ts";
import { writePrice } from "../../../../src/core/servers/serverPrice.ts";
import { timeOfDay } from "../../../../src/core/kernel/formatTime.ts";
import { countedOnce } from "../../../../src/core/servers/tree/rows.ts";
import type { ServerSection } from "../../../../src/core/servers/tree/rows.ts";
import { createSection, createServer } from "../../../support/serverSections.ts";

const hour = 3_600_000;
const now = Date.UTC(2026, 10, 24, 10);
const noUse = (): undefined => undefined;

function server(name: string, amount?: number, currency?: string, status: ServerStatus = "running"): Server {
  const value = amount && writePrice({ amount, currency, perGpu: false, isEstimate: false });
  return createServer(name, {
    name: { value: name, source: "name" },
    status,
    ...(value === undefined ? {} : { price: { value: String(value), source: "price" } }),
  });
}

const listed = (...servers: readonly Server[]): ServerSection => createSection(servers, { listedAt: now });
const textOf = (...sections: readonly ServerSection[]): string | undefined =>
  costStatus({ sections, runs: [], useOf: noUse, now })?.text;

function idle(hours: number): ServerUse {
  const [since, measuredAt] = [now - hours * hour, now];
  return { kind: "idle", since, measuredAt, holders: [], hasCountedRequests: false, percent: 0 };
}

describe("The costs in the status bar", () => {
  it("are the sum of what is known, in each currency, with the number of servers without a price", () => {
    assert.equal(textOf(listed(server("a", 61, "USD"), server("b", 32, "USD"))), "$93/h");
    assert.equal(textOf(listed(server("a", 61, "USD")), listed(server("b", 32, "EUR"))), "$61/h + €32/h");
    assert.equal(textOf(listed(server("a", 12.5, "USD"), server("b"), server("c"))), "$12.50/h + 2 unpriced");
    assert.equal(textOf(listed(server("a", 123.4, "USD"))), "$123/h");
    assert.equal(textOf(listed(server("a", 0.15, "USD"))), "$0.15/h");
    assert.equal(textOf(listed(server("a"), server("b"), server("c"))), "3 running");
  });

  it("are counted once if several profiles list the same server", () => {
    const id = { value: "i-1", source: "id" };
    const same = { ...server("a", 61, "USD"), id };
    const [first, second] = [listed(same), { ...listed(same, server("b", 2, "USD")), profileName: "Again" }];
    const once = countedOnce([first, second]);
    assert.equal(textOf(...once), "$63/h");
    assert.deepEqual(
      once.map(({ snapshot }) => snapshot.servers.map(serverName)),
      [[], ["a", "b"]],
    );
    const elsewhere = { ...second, host: "other.example" };
    assert.equal(textOf(...countedOnce([first, elsewhere])), "$124/h");

    const run = { server: "i-1", name: "a", status: "running", basis: "observed", from: 0, to: 1 } as const;
    const runs: readonly ServerRun[] = ["Again", "Fleet", "Other"].flatMap((profile) => [
      { ...run, profile, rate: undefined },
      { ...run, profile, rate: undefined, server: "name:a" },
    ]);
    const origins = (profile: string): string => (profile === "Other" ? "" : "https://gateway.example");
    assert.deepEqual(
      runsOnce(runs, origins).map((each) => `${each.profile} ${each.server}`),
      ["Again i-1", "Again name:a", "Fleet name:a", "Other i-1", "Other name:a"],
    );
  });

  it("aren't shown if nothing runs, unless something else costs money", () => {
    assert.equal(textOf(listed(server("a", 9, "USD", "stopped"))), undefined);
    assert.equal(textOf(listed()), undefined);
    const kept = { ...server("a", 9, "USD", "stopped"), costNow: { value: "9 USD per hour", source: "x" } };
    assert.equal(textOf(listed(kept)), "$9/h");
  });

  it("show when the list was received if it is an old one", () => {
    const error = { reason: "unreachable", message: "Down." } as const;
    const section = createSection([server("a", 93, "USD")], { listedAt: now, error });
    assert.equal(textOf(section), `$93/h (${timeOfDay(now)})`);
  });

  it("count idle servers, which come first, with what they have cost since", () => {
    const uses: Readonly<Record<string, ServerUse>> = { "trainer-08": idle(5), "trainer-10": idle(1) };
    const useOf = (_: string, key: string): ServerUse | undefined => uses[key];
    const sections = [
      listed(...["trainer-01", "trainer-10", "trainer-08"].map((key) => server(key, 24, "USD"))),
    ];
    const names = costlyServers({ sections, useOf, now }).map((each) => serverName(each.server));
    assert.deepEqual(names, ["trainer-08", "trainer-10", "trainer-01"]);
    const status = costStatus({ sections, runs: [run("trainer-08", now - 30 * hour)], useOf, now });
    assert.equal(status?.text, "$72/h · 2 idle");
    const since = timeOfDay(now - 5 * hour);
    assert.equal(status.lines[0], `trainer-08 · $24.00/h · idle since ${since}, $120.00 since`);
  });

  it("show the GPU use that the list reports of a server that isn't measured", () => {
    const trainer = { ...server("trainer-08", 24, "USD"), gpuUse: { value: "0%", source: "use" } };
    const measured = (use: ServerUse | undefined): string | undefined =>
      costStatus({ sections: [listed(trainer)], runs: [], useOf: () => use, now })?.lines[0];
    assert.equal(measured(undefined), "trainer-08 · $24.00/h · GPU 0%");
    assert.match(measured(idle(5)) ?? "", /^trainer-08 · \$24\.00\/h · idle since /);
  });

  it("come with servers first whose list reports no GPU use, below those that were measured to be idle", () => {
    const reported = (key: string, value: string): Server => {
      return { ...server(key, 24, "USD"), gpuUse: { value, source: "gpu_utilization" } };
    };
    const sections = [listed(reported("a", "80%"), reported("b", "0%"), server("c", 24, "USD"))];
    const useOf = (_: string, key: string): ServerUse | undefined => (key === "c" ? idle(5) : undefined);
    const names = costlyServers({ sections, useOf, now }).map((each) => serverName(each.server));
    assert.deepEqual(names, ["c", "b", "a"]);
  });

  it("lead to one digest of the servers that have been idle for hours, without muted ones", () => {
    const useOf = (_: string, key: string): ServerUse => idle(key === "short" ? 1 : 5);
    const servers = ["a", "b", "c", "d", "short", "muted"].map((key) => server(key, 24, "USD"));
    const marks = new Map([["muted", { isMuted: true }]]);
    const sections = [createSection(servers, { listedAt: now }, { marks })];
    const facts = { sections, runs: [run("a", now - 30 * hour)], useOf, now };
    const idleLong = longIdle(costlyServers(facts), now);
    const text = "4 servers have been idle: a for 5 h ($120.00), b for 5 h, c for 5 h and 1 more.";
    assert.equal(idleDigest(idleLong, facts), text);
    assert.equal(idleDigest(idleLong.slice(0, 1), facts), "1 server has been idle: a for 5 h ($120.00).");
  });

  it("name today and the month in UTC, what of it is an estimate, and what isn't included", () => {
    const sections = [
      listed(
        server("a", 24, "USD"),
        server("b"),
        server("c", 1, "USD", "stopped"),
        server("d", 1, "USD", "error"),
      ),
    ];
    const runs = [
      { ...run("a", now - 100 * hour, now - 50 * hour), basis: "estimated" as const },
      run("a", now - 50 * hour),
      { ...run("b", now - 3 * hour), basis: "gap" as const, rate: undefined },
    ];
    assert.deepEqual(costStatus({ sections, runs, useOf: noUse, now })?.lines, [
      "a · $24.00/h",
      "b · no price",
      "Today ≈ $240.00 · November ≈ $2,400 (UTC)",
      "$1,200 of this is an estimate.",
      "Recorded since Nov 22, 2026.",
      "Not included: 3 h of server time that wasn't observed.",
      "Not included: 1 server without a price, disks, 2 servers that aren't running.",
    ]);
  });

  it("aren't 0 on a day of which only servers without a price are known", () => {
    const [before, since] = [run("a", now - 20 * hour, now - 15 * hour), now - 2 * hour];
    const today = (runs: readonly ServerRun[]): string | undefined =>
      costStatus({ sections: [listed(server("b"))], runs, useOf: noUse, now })?.lines[1];
    const unpriced = { ...run("b", since), rate: undefined };
    assert.equal(today([before, unpriced]), "Today ≈ unknown · November ≈ $120.00 (UTC)");
    assert.equal(today([before]), "Today ≈ 0 · November ≈ $120.00 (UTC)");
  });

  it("don't let a server's name change what is shown", () => {
    const name = "x\u202e\n[a](command:b)";
    const [line] =
      costStatus({ sections: [listed(server(name, 1, "USD"))], runs: [], useOf: noUse, now })?.lines ?? [];
    assert.doesNotMatch(line ?? "", /[\n\u202e]/);
  });
});

function run(key: string, from: number, to = now): ServerRun {
  const rate = { amount: 24, currency: "USD", isEstimate: false };
  return { profile: "Lab", server: key, name: key, status: "running", basis: "observed", from, to, rate };
}
