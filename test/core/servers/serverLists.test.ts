import assert from "node:assert/strict";
import { noActions } from "../../../src/core/servers/actions/profileActions.ts";
import type { ServerList } from "../../../src/core/servers/server.ts";
import { ServerLists } from "../../../src/core/servers/serverLists.ts";
import type { ListedProfile } from "../../../src/core/servers/serverLists.ts";
import type { ServerSource } from "../../../src/core/servers/serverListState.ts";

const listOf = (...keys: readonly string[]): ServerList => ({
  servers: keys.map((key) => ({ key, status: "running", record: {} })),
});

const profile = (profileName: string, identity = "first"): ListedProfile => ({
  profileName,
  identity,
  isActive: true,
  isProduction: false,
  color: undefined,
  host: undefined,
  pricing: undefined,
});

/** A gateway that is controlled by the test. */
class FakeSource implements ServerSource {
  readonly events: string[] = [];
  readonly answers: ((list: ServerList) => void)[] = [];

  list() {
    this.events.push("asked");
    const list = new Promise<ServerList>((resolve) => this.answers.push(resolve));
    return { list, stop: () => void this.events.push("stopped") };
  }
}

function createServerLists(...profiles: readonly ListedProfile[]) {
  const sources = new Map<string, FakeSource>();
  const lists = new ServerLists({
    sourceOf(profileName) {
      const source = new FakeSource();
      sources.set(profileName, source);
      return source;
    },
    marksOf: () => new Map(),
    actionsOf: () => noActions,
    now: () => 0,
    schedule: () => () => undefined,
    random: () => 0,
    intervalMs: () => 30_000,
    hasFocus: () => true,
  });
  lists.setProfiles(profiles);
  const keys = (name: string): readonly string[] =>
    (lists.find(name)?.current.servers ?? []).map(({ key }) => key);
  const source = (name: string): FakeSource => {
    const found = sources.get(name);
    assert.ok(found);
    return found;
  };
  return { lists, keys, source };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("Server lists", () => {
  it("request the lists of visible profiles, and no others", () => {
    const { lists, source } = createServerLists(profile("a"), profile("b"));
    lists.setSeen(new Set(["a"]));
    assert.deepEqual(source("a").events, ["asked"]);
    assert.deepEqual(source("b").events, []);
  });

  it("drop responses for an earlier credential, from any client, and request the list again", async () => {
    const { lists, keys, source } = createServerLists(profile("a"), profile("b"));
    lists.setSeen(new Set(["a", "b"]));
    lists.reset("a");
    source("a").answers[0]?.(listOf("late"));
    source("b").answers[0]?.(listOf("kept"));
    await settle();
    assert.deepEqual([keys("a"), keys("b")], [[], ["kept"]]);
    assert.deepEqual(source("a").events, ["asked", "stopped", "asked"]);
    source("a").answers[1]?.(listOf("new"));
    await settle();
    assert.deepEqual(keys("a"), ["new"]);
  });

  it("start over if a profile has new settings, and continue if they are unchanged", async () => {
    const { lists, keys, source } = createServerLists(profile("a"), profile("b"));
    lists.setSeen(new Set(["a", "b"]));
    for (const name of ["a", "b"]) source(name).answers[0]?.(listOf(name));
    await settle();
    lists.setProfiles([profile("b"), profile("a", "second")]);
    assert.deepEqual([keys("a"), keys("b")], [[], ["b"]]);
  });

  it("end the request of a removed profile", () => {
    const { lists, source } = createServerLists(profile("a"), profile("b"));
    lists.setSeen(new Set(["a"]));
    lists.setProfiles([profile("b")]);
    assert.equal(lists.find("a"), undefined);
    assert.deepEqual(source("a").events, ["asked", "stopped"]);
  });
});
