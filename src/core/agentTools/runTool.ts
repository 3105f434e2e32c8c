import type { Profile } from "../account/profile.ts";
import type { Model } from "../conversation/completion.ts";
import { allModalities, supports } from "../conversation/modelCatalog.ts";
import { priceOf } from "../conversation/prices.ts";
import type { PriceTable } from "../conversation/prices.ts";
import { snippetOf } from "../conversation/searchResult.ts";
import type { SearchExtent } from "../conversation/searchResult.ts";
import { hasAllTerms, parseSearchTerms } from "../conversation/searchTerms.ts";
import { ServiceError } from "../kernel/errors.ts";
import { sanitizeLabel } from "../kernel/foreignText.ts";
import { originOf } from "../kernel/httpAddress.ts";
import { mapStrings, parseJsonObject } from "../kernel/json.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ServerSection } from "../servers/tree/rows.ts";
import {
  getGpuUsage,
  getServer,
  listServers,
  listState,
  pageOf,
  problemText,
  ToolProblem,
} from "./serverTools.ts";
import { agentTools, parseToolInput } from "./toolTable.ts";
import type { ToolName } from "./toolNames.ts";
import type { ToolInput } from "./toolTable.ts";
import { filledFields } from "../kernel/filledFields.ts";

/** A message that was found, as stored. */
export interface FoundMessage {
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  readonly role: string;
  readonly text: string;
}

/** Port: what one call of a tool reads. Everything may reject with a ServiceError, or because the call was canceled. */
export interface AgentToolPorts {
  readonly profiles: readonly Profile[];
  readonly activeProfile: string | undefined;
  /** The lists of servers, requested again if they are older than this many milliseconds. */
  servers(maxAgeMs: number): Promise<readonly ServerSection[]>;
  /** What is measured on a server that the user watches. Undefined if there is nothing. */
  gpu(profileName: string, key: string): JsonObject | undefined;
  /** The models of the profiles that can send requests. */
  models(): Promise<readonly { readonly profile: Profile; readonly models: readonly Model[] }[]>;
  readonly prices: PriceTable;
  /** Requests the list of models. Resolves to their number. */
  checkInference(profile: Profile): Promise<number>;
  /** The messages that contain all terms, the best first, at most `limit`. */
  findMessages(
    query: string,
    limit: number,
  ): Promise<{ readonly messages: readonly FoundMessage[]; readonly extent: SearchExtent }>;
  /** The text without anything that looks like a secret. */
  maskSecrets(text: string): Promise<string>;
  /** Whether the user allows the call of a tool whose result is private. */
  mayRead(name: ToolName, input: JsonObject): Promise<boolean>;
  /** The text without the credentials of the extension. */
  redact(text: string): string;
  /** Monotonic milliseconds. */
  now(): number;
}

/** What the caller of a tool receives. */
export interface AgentToolResult {
  /** A JSON document, or a sentence if the call failed. */
  readonly text: string;
  readonly isError: boolean;
}

type Executors = {
  readonly [N in ToolName]: (ports: AgentToolPorts, input: ToolInput<N>) => Promise<JsonObject>;
};

/** A list that is newer than this isn't requested again for a call. */
const freshMs = 60_000;

const executors: Executors = {
  list_servers: async (ports, input) => listServers(await sectionsOf(ports, input), input),
  get_server: async (ports, input) => getServer(await sectionsOf(ports, input), input.server),
  get_gpu_usage: async (ports, input) => getGpuUsage(await sectionsOf(ports, input), input.server, ports),
  list_models: listModels,
  check_gateway: checkGateway,
  search_conversations: searchConversations,
};

/**
 * Runs a tool with an input from outside. What fails for a known reason is a sentence in the outcome; rejects only
 * for our own mistakes and if the call was canceled.
 */
export async function runTool<N extends ToolName>(
  name: N,
  value: unknown,
  ports: AgentToolPorts,
): Promise<AgentToolResult> {
  const parsed = parseToolInput(name, value);
  if ("problem" in parsed) return { text: parsed.problem, isError: true };
  try {
    if (agentTools[name].isPrivate && !(await ports.mayRead(name, parseJsonObject(parsed.input) ?? {})))
      return { text: "The user didn't allow this. Continue without it.", isError: true };
    const result = await executors[name](ports, parsed.input);
    // Each text separately, because redacting a whole document could remove its quotation marks.
    const redacted = mapStrings(result, (text) => ports.redact(text));
    return { text: JSON.stringify(redacted, undefined, 1), isError: false };
  } catch (error) {
    if (!(error instanceof ToolProblem) && !(error instanceof ServiceError)) throw error;
    return { text: ports.redact(problemText(error.message)), isError: true };
  }
}

/** The lists of the profile that the input names, or of all. */
async function sectionsOf(
  ports: AgentToolPorts,
  { profile }: { readonly profile: string | undefined },
  maxAgeMs = freshMs,
): Promise<readonly ServerSection[]> {
  const chosen = new Set(chooseProfiles(ports, profile).map(({ name }) => name));
  const sections = await ports.servers(maxAgeMs);
  return sections.filter(({ profileName }) => chosen.has(profileName));
}

function chooseProfiles({ profiles }: AgentToolPorts, wanted: string | undefined): readonly Profile[] {
  if (profiles.length === 0)
    throw new ToolProblem(
      "There is no profile yet. The user can add one with the command “Inference Gateway: Add Profile…”.",
    );
  if (wanted === undefined) return profiles;
  const folded = wanted.trim().toLowerCase();
  const found = profiles.filter(({ name }) => name.toLowerCase() === folded);
  if (found.length > 0) return found;
  const names = profiles.slice(0, 20).map(({ name }) => sanitizeLabel(name, 60));
  throw new ToolProblem(
    `There is no profile “${sanitizeLabel(wanted, 60)}”. The profiles are: ${names.join(", ")}.`,
  );
}

async function listModels(ports: AgentToolPorts, input: ToolInput<"list_models">): Promise<JsonObject> {
  const chosen = new Set(chooseProfiles(ports, input.profile).map(({ name }) => name));
  const words = (input.text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const lists = (await ports.models()).filter(({ profile }) => chosen.has(profile.name));
  const all = lists.flatMap(({ profile, models }) => models.map((model) => ({ profile, model })));
  const found = all.filter(({ model }) => {
    const text = `${model.id} ${model.name ?? ""}`.toLowerCase();
    return (
      words.every((word) => text.includes(word)) &&
      (input.input === undefined || supports(model, input.input) === true)
    );
  });
  const page = pageOf(found, input);
  const missing = [...chosen].filter((name) => lists.every(({ profile }) => profile.name !== name));
  return {
    models: page.items.map(({ profile, model }) => modelSummary(profile, model, ports.prices)),
    ...page.position,
    total: all.length,
    ...(missing.length === 0 ? {} : { profilesWithoutInferenceServiceOrKey: missing }),
  };
}

function modelSummary(profile: Profile, model: Model, prices: PriceTable): JsonObject {
  const { id, name, contextLength } = model;
  const inputs = allModalities.flatMap((modality) => {
    const isSupported = supports(model, modality);
    return isSupported === undefined ? [] : [[modality, isSupported] as const];
  });
  const { price, isPublished } = priceOf(model, prices) ?? {};
  const source = isPublished ? "service" : "user's settings";
  return filledFields({
    profile: profile.name,
    id: sanitizeLabel(id, 200),
    name: name === undefined || name === id ? undefined : sanitizeLabel(name, 200),
    isDefault: profile.defaultModel === id ? true : undefined,
    contextTokens: contextLength,
    inputs: inputs.length === 0 ? undefined : Object.fromEntries(inputs),
    pricePerMillionTokens: price && { ...price, source },
  });
}

async function checkGateway(ports: AgentToolPorts, input: ToolInput<"check_gateway">): Promise<JsonObject> {
  const chosen = chooseProfiles(ports, input.profile);
  const [sections, inference] = await Promise.all([
    sectionsOf(ports, input, 0),
    Promise.all(chosen.map((profile) => checkInference(ports, profile))),
  ]);
  return {
    profiles: chosen.map((profile, index) => {
      const section = sections.find(({ profileName }) => profileName === profile.name);
      return {
        profile: profile.name,
        ...(profile.name === ports.activeProfile ? { isActive: true } : {}),
        inferenceService: inference[index] ?? null,
        gpuGateway:
          section === undefined || profile.gatewayUrl === undefined
            ? { isConfigured: false }
            : { ...gatewayResponse(section), ...listState(section) },
      };
    }),
  };
}

/**
 * If a request has no response by the time limit of a call, neither it nor the last list shows whether the gateway
 * responds.
 */
function gatewayResponse({ snapshot: { error, isRefreshing } }: ServerSection): JsonObject {
  if (error !== undefined) return { isResponding: false };
  return isRefreshing
    ? { note: "The gateway hasn't responded yet. Check again later." }
    : { isResponding: true };
}

async function checkInference(ports: AgentToolPorts, profile: Profile): Promise<JsonObject> {
  if (profile.inferenceBaseUrl === undefined) return { isConfigured: false };
  const facts = { address: originOf(profile.inferenceBaseUrl) ?? "" };
  const startedAt = ports.now();
  try {
    const models = await ports.checkInference(profile);
    return { ...facts, isResponding: true, models, milliseconds: Math.round(ports.now() - startedAt) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { reason, statusCode } = error.facts;
    const status = statusCode === undefined ? {} : { statusCode };
    return { ...facts, isResponding: false, reason, ...status, problem: problemText(error.message) };
  }
}

async function searchConversations(
  ports: AgentToolPorts,
  input: ToolInput<"search_conversations">,
): Promise<JsonObject> {
  const terms = parseSearchTerms(input.text);
  if (terms.length === 0) throw new ToolProblem("“text” must contain a word.");
  const { messages, extent } = await ports.findMessages(input.text, input.limit);
  const results: JsonObject[] = [];
  for (const { title, updatedAt, role, text } of messages) {
    const masked = await maskedRegion(text, terms, (region) => ports.maskSecrets(region));
    // A word that occurs only inside a secret must not be confirmed.
    if (!hasAllTerms(masked, terms)) continue;
    results.push({
      title: sanitizeLabel(await ports.maskSecrets(title), 120),
      updatedAt: new Date(updatedAt).toISOString(),
      role,
      excerpt: sanitizeLabel(snippetOf(masked, terms), 300),
    });
  }
  return { results, ...(extent === "all" ? {} : { isIncomplete: true }) };
}

/** UTF-16 code units around the matches in which secrets are looked for. */
const around = 4_000;
/** Of these, the ones next to a cut, where a secret may not be recognized because it isn't whole. */
const unsure = 1_000;
/** UTF-16 code units of a region, however far apart the terms are. */
const longestRegion = 1_000_000;

/** The part of the text around the terms with secrets masked. */
async function maskedRegion(
  text: string,
  terms: readonly string[],
  mask: (text: string) => Promise<string>,
): Promise<string> {
  const folded = text.toLowerCase();
  const places = terms.map((term) => Math.max(0, folded.indexOf(term)));
  const start = Math.max(0, Math.min(...places) - around);
  const end = Math.min(text.length, Math.max(...places) + around, start + longestRegion);
  const masked = await mask(text.slice(start, end));
  return masked.slice(start === 0 ? 0 : unsure, end === text.length ? undefined : -unsure);
}
