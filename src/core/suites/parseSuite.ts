import { t } from "@vscode/l10n";
import { parametersOfChat } from "../conversation/parameters.ts";
import type { Preset } from "../conversation/presets.ts";
import { isRecord, parseJsonObject } from "../kernel/json.ts";
import type { JsonObject } from "../kernel/json.ts";
import { parseCheck } from "./parseCheck.ts";
import type { JudgeDefaults } from "./parseCheck.ts";
import { SourceReader, findMapValue, plainValue } from "./sourceNode.ts";
import type { MapNode, NamedFile, SourceNode, SourceProblem } from "./sourceNode.ts";
import type { Suite, SuiteCase, SuiteCheck, SuiteMessage, SuitePreset } from "./suite.ts";

/** A text longer than this isn't read. */
export const longestSuite = 2_000_000;
const defaultConcurrency = 4;
const [mostCases, mostModels, mostPresets, mostMessages] = [5_000, 50, 50, 200];
const [mostChecks, mostAttachments, longestName, longestText] = [100, 20, 200, 1_000_000];

const suiteKeys = [
  ...["version", "profile", "models", "presets", "system", "parameters", "variables"],
  ...["concurrency", "judge", "checks", "cases"],
];
const caseKeys = [
  ...["name", "prompt", "messages", "system", "attachments", "variables", "models", "presets"],
  ...["parameters", "checks"],
];

/** A variable in a text. */
export const placeholder = /\{\{ {0,9}([A-Za-z_]\w{0,99}) {0,9}\}\}/g;
const roles = ["system", "user", "assistant"] as const;

/** The names in double braces that a text contains. */
export function placeholdersIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(placeholder)].flatMap(([, name]) => name ?? []))];
}

/** @param builtIn The presets of the user's settings, which a suite may name. */
export function parseSuite(
  root: SourceNode,
  builtIn: readonly SuitePreset[] = [],
): { readonly suite: Suite; readonly problems: readonly SourceProblem[] } {
  const reader = new SuiteReader(root, builtIn);
  const problems = reader.problems.toSorted((left, right) => left.range.start - right.range.start);
  return { suite: reader.suite, problems };
}

/** One of the user's presets as a suite uses it. */
export function presetOf({ name, systemPrompt, parameters }: Preset): SuitePreset {
  return { name, ...(systemPrompt === undefined ? {} : { system: systemPrompt }), parameters };
}

type Variables = ReadonlyMap<string, string>;

/** What applies to all cases that don't specify it themselves. */
interface Defaults {
  readonly models: readonly string[];
  readonly presets: readonly SuitePreset[];
  readonly variables: Variables;
  readonly checks: readonly SourceNode[];
  readonly judge: JudgeDefaults;
}

class SuiteReader extends SourceReader {
  readonly suite: Suite;
  readonly #builtIn: readonly SuitePreset[];

  constructor(root: SourceNode, builtIn: readonly SuitePreset[]) {
    super();
    this.#builtIn = builtIn;
    this.suite = this.#suite(root);
  }

  #suite(root: SourceNode): Suite {
    const map = this.map(root, suiteKeys);
    const none = { concurrency: defaultConcurrency, cases: [] };
    if (map === undefined) return none;
    this.#get(map, "version", (node) => this.number(node, 1, 1));
    const list = findMapValue(map, "cases");
    if (list === undefined) return this.missing(map, "cases") ?? none;
    const defaults = this.#defaults(map);
    const profile = this.#get(map, "profile", (node) => this.text(node, longestName));
    const concurrency = this.#get(map, "concurrency", (node) => this.number(node, 1, 32));
    return {
      ...(profile === undefined ? {} : { profile }),
      concurrency: Math.floor(concurrency ?? defaultConcurrency),
      cases: this.#cases(list, defaults),
    };
  }

  #defaults(map: MapNode): Defaults {
    const variables = this.#variables(map, new Map());
    const own = this.#preset(map, variables);
    const presets = this.#presets(map, own, variables, this.#builtIn) ?? [own];
    const judge = this.#get(map, "judge", (node) =>
      this.map(node, ["model", "prompt", "schema", "minScore"]),
    );
    const texts = (name: string): string | undefined =>
      judge && this.#get(judge, name, (node) => this.text(node, longestText));
    const [model, prompt] = [texts("model"), texts("prompt")];
    const schema = judge && this.#get(judge, "schema", (node) => this.#object(node));
    const minScore = judge && this.#get(judge, "minScore", (node) => this.number(node, -1e6, 1e6));
    return {
      models: this.#models(map) ?? [],
      presets,
      variables,
      checks: this.#get(map, "checks", (node) => this.list(node, mostChecks)) ?? [],
      judge: {
        ...(model === undefined ? {} : { model }),
        ...(prompt === undefined ? {} : { prompt }),
        ...(schema === undefined ? {} : { schema }),
        ...(minScore === undefined ? {} : { minScore }),
      },
    };
  }

  #cases(list: SourceNode, defaults: Defaults): readonly SuiteCase[] {
    const names = new Set<string>();
    return this.list(list, mostCases).flatMap((node) => {
      const test = this.#case(node, defaults);
      if (test === undefined) return [];
      if (names.has(test.name))
        return this.report(node, t("A case named “{0}” already exists.", test.name)) ?? [];
      names.add(test.name);
      return [test];
    });
  }

  #case(node: SourceNode, defaults: Defaults): SuiteCase | undefined {
    const map = this.map(node, caseKeys);
    if (map === undefined) return undefined;
    const variables = this.#variables(map, defaults.variables);
    const messages = this.#messages(map, variables);
    const name = this.#get(map, "name", (entry) => this.text(entry, longestName)) ?? firstWords(messages);
    const own = this.#preset(map, variables);
    const none = { name: "", parameters: {} };
    const known = [...defaults.presets, ...this.#builtIn];
    const chosen = this.#presets(map, none, variables, known) ?? defaults.presets;
    const presets = chosen.map((preset) => ({
      ...preset,
      ...(own.system === undefined ? {} : { system: own.system }),
      parameters: { ...preset.parameters, ...own.parameters },
    }));
    const ownChecks = this.#get(map, "checks", (entry) => this.list(entry, mostChecks)) ?? [];
    const checks = [...defaults.checks, ...ownChecks].flatMap((entry): readonly SuiteCheck[] =>
      parseCheck(entry, this, defaults.judge, (text) => this.#fill(entry, text, variables)),
    );
    if (name === undefined || messages.length === 0) return undefined;
    const { start, end } = node;
    const models = this.#models(map) ?? defaults.models;
    return { name, range: { start, end }, models, presets, messages, checks };
  }

  #models(map: MapNode): readonly string[] | undefined {
    const models = this.#get(map, "models", (node) => this.texts(node, mostModels, longestName));
    return models && [...new Set(models)];
  }

  /**
   * The presets of a suite or case, each combined with the settings next to them. The user's presets can be listed by
   * name.
   */
  #presets(
    map: MapNode,
    base: SuitePreset,
    variables: Variables,
    known: readonly SuitePreset[],
  ): readonly SuitePreset[] | undefined {
    const list = findMapValue(map, "presets");
    if (list === undefined) return undefined;
    const names = new Set<string>();
    const presets = this.list(list, mostPresets).flatMap((node): readonly SuitePreset[] => {
      const preset =
        node.kind === "map" ? this.#namedPreset(node, variables) : this.#knownPreset(node, known);
      if (preset === undefined) return [];
      if (names.has(preset.name))
        return this.report(node, t("A preset named “{0}” already exists.", preset.name)) ?? [];
      names.add(preset.name);
      return [{ ...base, ...preset, parameters: { ...base.parameters, ...preset.parameters } }];
    });
    return presets.length === 0 ? undefined : presets;
  }

  #namedPreset(node: MapNode, variables: Variables): SuitePreset | undefined {
    this.map(node, ["name", "system", "parameters"]);
    const entry = findMapValue(node, "name");
    if (entry === undefined) return this.missing(node, "name");
    const name = this.text(entry, longestName);
    return name === undefined ? undefined : { ...this.#preset(node, variables), name };
  }

  #knownPreset(node: SourceNode, presets: readonly SuitePreset[]): SuitePreset | undefined {
    const name = this.text(node, longestName);
    if (name === undefined) return undefined;
    const known = presets.find((preset) => preset.name === name);
    return known ?? this.report(node, t("There is no preset named “{0}”.", name));
  }

  #preset(map: MapNode, variables: Variables): SuitePreset {
    const system = this.#get(map, "system", (node) => this.#filled(node, variables));
    const parameters = this.#get(map, "parameters", (node) => this.#parameters(node)) ?? {};
    return { name: "", ...(system === undefined ? {} : { system }), parameters };
  }

  #parameters(node: SourceNode): JsonObject | undefined {
    if (node.kind === "map")
      for (const { key, keyRange } of node.entries)
        if (parametersOfChat.has(key))
          this.report(keyRange, t("“{0}” can't be set here because each request sets its own value.", key));
    return this.#object(node);
  }

  #object(node: SourceNode): JsonObject | undefined {
    const value = plainValue(node);
    return isRecord(value)
      ? parseJsonObject(value)
      : this.report(node, t("This must be a map of keys and values."));
  }

  #variables(map: MapNode, base: Variables): Variables {
    const own = this.#get(map, "variables", (node) =>
      node.kind === "map" ? node : this.report(node, t("This must be a map of keys and values.")),
    );
    const entries = own?.entries.flatMap(({ key, value }) => {
      const text =
        value.kind === "scalar" && value.value !== null
          ? value.text
          : this.report(value, t("This must be text."));
      return text === undefined ? [] : [[key, text] as const];
    });
    return new Map([...base, ...(entries ?? [])]);
  }

  #messages(map: MapNode, variables: Variables): readonly SuiteMessage[] {
    const attachments = this.#get(map, "attachments", (node) => this.#files(node)) ?? [];
    const [prompt, messages] = [findMapValue(map, "prompt"), findMapValue(map, "messages")];
    if ((prompt === undefined) === (messages === undefined))
      return this.report(map, t("A case needs either “prompt” or “messages”.")) ?? [];
    if (prompt !== undefined) {
      const text = this.#filled(prompt, variables);
      return text === undefined ? [] : [{ role: "user", text, attachments }];
    }
    const list = messages === undefined ? [] : this.list(messages, mostMessages);
    const read = list.flatMap((node) => this.#message(node, variables));
    const last = read.at(-1);
    if (last === undefined) return [];
    return [...read.slice(0, -1), { ...last, attachments: [...last.attachments, ...attachments] }];
  }

  #message(node: SourceNode, variables: Variables): readonly SuiteMessage[] {
    const map = this.map(node, ["role", "content", "attachments"]);
    if (map === undefined) return [];
    const content = findMapValue(map, "content");
    if (content === undefined) return this.missing(map, "content") ?? [];
    const text = this.#filled(content, variables);
    const named = this.#get(map, "role", (entry) => this.text(entry)) ?? "user";
    const role = roles.find((known) => known === named);
    if (role === undefined)
      this.report(findMapValue(map, "role") ?? map, t("This must be one of {0}.", roles.join(", ")));
    const attachments = this.#get(map, "attachments", (entry) => this.#files(entry)) ?? [];
    return text === undefined || role === undefined ? [] : [{ role, text, attachments }];
  }

  #files(node: SourceNode): readonly NamedFile[] {
    return this.list(node, mostAttachments).flatMap((item) => {
      const path = this.path(item);
      return path === undefined ? [] : [path];
    });
  }

  #filled(node: SourceNode, variables: Variables): string | undefined {
    const text = this.text(node, longestText);
    return text === undefined ? undefined : this.#fill(node, text, variables);
  }

  /** The text with its variables replaced once: the values of variables aren't searched for more variables. */
  #fill(node: SourceNode, text: string, variables: Variables): string {
    for (const name of placeholdersIn(text))
      if (!variables.has(name)) this.report(node, t("There is no variable named “{0}”.", name));
    return text.replace(placeholder, (whole, name: string) => variables.get(name) ?? whole);
  }

  #get<Value>(map: MapNode, key: string, read: (node: SourceNode) => Value | undefined): Value | undefined {
    const node = findMapValue(map, key);
    return node === undefined ? undefined : read(node);
  }
}

/** A case without a name is named after its last message. */
function firstWords(messages: readonly SuiteMessage[]): string | undefined {
  const text = messages.at(-1)?.text.trim().replace(/\s+/g, " ");
  return text === undefined || text === "" ? undefined : text.slice(0, 80);
}
