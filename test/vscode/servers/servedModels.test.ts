import assert from "node:assert/strict";
import type * as vscode from "vscode";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import type { Profile } from "../../../src/core/account/profile.ts";
import { endpointProfile } from "../../../src/core/servers/connect/modelEndpoint.ts";
import type { ServerStatus } from "../../../src/core/servers/server.ts";
import type * as Module from "../../../src/vscode/servers/serve/servedModels.ts";
import { installFakeVscode } from "../../support/fakeVscode.ts";
import { createSection, createServer } from "../../support/serverSections.ts";

const link = { gateway: "https://gateway.example", key: "trainer", port: 8000, localPort: 18_000 };
const qwen = { ...link, model: "Qwen/Qwen2.5-7B", profile: "Qwen on trainer", job: "a" };
const llama = { ...link, model: "org/Llama", profile: "Llama on trainer", job: "b" };

describe("A profile of a model on a server", () => {
  const profileOf = (name: string): Profile => {
    const [profile] = parseProfiles([endpointProfile(name, "http://127.0.0.1:18000/v1")]).profiles;
    assert.ok(profile !== undefined);
    return profile;
  };
  const opened: Module.ServedModels[] = [];
  let ServedModels: typeof Module.ServedModels;

  before(async () => {
    installFakeVscode();
    ({ ServedModels } = await import("../../../src/vscode/servers/serve/servedModels.ts"));
  });
  afterEach(() => {
    for (const models of opened.splice(0)) models.dispose();
  });

  interface Case {
    readonly links?: readonly object[];
    readonly ends?: Readonly<Record<string, "ending" | "ended">>;
    readonly status?: ServerStatus;
    readonly names?: readonly string[];
    /** The name of the profile with the gateway, and the other profile with servers of the same names. */
    readonly account?: string;
  }

  /** Returns what becomes of a request with a profile, and the ports on which the window listens. */
  function open({
    links = [qwen],
    ends = {},
    status = "running",
    names = [qwen.profile],
    account = "Lab",
  }: Case) {
    const profiles = names.map(profileOf);
    const listening = new Set<number>();
    const models = new ServedModels({
      context: {
        globalState: { get: () => links } as unknown as vscode.Memento,
        profiles: { all: profiles, find: (name: string) => profiles.find((each) => each.name === name) },
      } as never,
      lists: {
        sections: [
          { ...createSection([createServer("trainer", { status: "stopped" })]), profileName: "Other" },
          {
            ...createSection([createServer("trainer", { name: { value: "trainer", source: "x" }, status })]),
            profileName: account,
          },
        ],
      },
      originOf: (name) => (name === account ? link.gateway : "https://other.example"),
      jobs: { endOf: (_, job) => ends[job] },
      loadTunnels: () =>
        Promise.resolve({
          wait(server: { readonly profileName: string }, _remote: unknown, localPort: number) {
            assert.equal(server.profileName, account);
            if (listening.has(localPort)) return Promise.resolve(undefined);
            listening.add(localPort);
            return Promise.resolve({ stop: () => listening.delete(localPort) });
          },
        } as never),
    });
    opened.push(models);
    const reach = async (name: string): Promise<string> => {
      try {
        await models.reach(profileOf(name));
        return "sent";
      } catch (error) {
        return error instanceof Error ? error.message : "";
      }
    };
    return { models, listening, reach };
  }

  it("says that its model is being stopped, has ended, or needs its server", async () => {
    const again = "To serve the model again, select “Serve a Model…” in its server's menu.";
    const cases: readonly (readonly [Case, string])[] = [
      [{}, "sent"],
      // A gateway whose list has no status that is understood.
      [{ status: "unknown" }, "sent"],
      [{ ends: { a: "ending" } }, `Qwen2.5-7B on trainer is being stopped. ${again}`],
      [{ ends: { a: "ended" } }, `Qwen2.5-7B is no longer served on trainer. ${again}`],
      [{ status: "stopped" }, `trainer isn't running. Start it first. ${again}`],
      [{ links: [] }, "sent"],
      // The address leads to another model meanwhile, or is only checked.
      [{ links: [llama, qwen], ends: { a: "ended" } }, "sent"],
      [{ ends: { a: "ended" }, names: ["Another"] }, "sent"],
    ];
    for (const [given, outcome] of cases)
      assert.equal(await open(given).reach(qwen.profile), outcome, JSON.stringify(given));
  });

  it("leads to the server while its model is served, under whatever name", async () => {
    const cases: readonly (readonly [Case, readonly number[]])[] = [
      [{}, [18_000]],
      [{ status: "unknown" }, [18_000]],
      [{ names: ["Renamed"] }, [18_000]],
      [{ account: "Gateway with another name" }, [18_000]],
      [{ names: [] }, []],
      [{ status: "stopped" }, []],
      [{ ends: { a: "ended" } }, []],
      // What is being stopped may still respond.
      [{ ends: { a: "ending" } }, [18_000]],
      [{ links: [llama, qwen], ends: { a: "ended" } }, [18_000]],
    ];
    for (const [given, ports] of cases) {
      const { models, listening } = open(given);
      await models.listening;
      assert.deepEqual([...listening], ports, JSON.stringify(given));
    }
  });

  it("can be served again at the same port, which stays open while the model loads", async () => {
    const { models, listening } = open({ ends: { a: "ended" } });
    const row = { profileName: "Lab", key: "trainer" } as Parameters<typeof models.open>[0];
    assert.equal(await models.open(row, 8000, qwen.model), 18_000);
    // What opens another model listens for all that is known.
    assert.equal(await models.open({ ...row, key: "other" }, 8000, llama.model), 18_001);
    assert.deepEqual([...listening], [18_000, 18_001]);
    models.close(18_000);
    assert.deepEqual([...listening], [18_001]);
  });
});
