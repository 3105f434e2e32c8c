import assert from "node:assert/strict";
import { runTool } from "../../../src/core/agentTools/runTool.ts";
import type { AgentToolPorts } from "../../../src/core/agentTools/runTool.ts";
import type { ToolName } from "../../../src/core/agentTools/toolNames.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import { replaceSecrets } from "../../../src/core/account/secrets/scanSecrets.ts";
import { isRecord } from "../../../src/core/kernel/json.ts";
import { createSection, createServers } from "../../support/serverSections.ts";

const { profiles } = parseProfiles([
  { name: "Lab", inferenceBaseUrl: "https://lab.example/v1", gatewayUrl: "https://lab.example" },
  { name: "Plain", inferenceBaseUrl: "https://plain.example/v1", defaultModel: "org/small" },
]);

/** Ports with two profiles, thirty servers, and two models. */
export function agentToolPorts(parts: Partial<AgentToolPorts> = {}): AgentToolPorts {
  return {
    profiles,
    activeProfile: "Lab",
    servers: () => Promise.resolve([createSection(createServers(30))]),
    gpu: () => undefined,
    models: () =>
      Promise.resolve(
        profiles.map((profile) => ({
          profile,
          models: [
            { id: "org/small", contextLength: 8_000 },
            { id: "org/eyes", supportsImages: true },
          ],
        })),
      ),
    prices: { "org/small": { input: 1, output: 2, currency: "EUR" } },
    checkInference: () => Promise.resolve(2),
    findMessages: () => Promise.resolve({ messages: [], extent: "all" }),
    maskSecrets: (text) => Promise.resolve(replaceSecrets(text, "•", "careful")),
    mayRead: () => Promise.resolve(true),
    redact: (text) => text,
    now: () => 0,
    ...parts,
  };
}

/** The JSON that the tool returns. Fails if the call does. */
export async function callTool(
  name: ToolName,
  input: unknown,
  parts: Partial<AgentToolPorts> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { text, isError } = await runTool(name, input, agentToolPorts(parts));
  assert.equal(isError, false, text);
  const value: unknown = JSON.parse(text);
  assert.ok(isRecord(value));
  return value;
}

/** The sentence with which the tool fails. Fails if it doesn't. */
export async function toolFailure(
  name: ToolName,
  input: unknown,
  parts: Partial<AgentToolPorts> = {},
): Promise<string> {
  const { text, isError } = await runTool(name, input, agentToolPorts(parts));
  assert.equal(isError, true, text);
  return text;
}
