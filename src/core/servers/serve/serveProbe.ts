import { isRecord, parseJson, recordsIn, stringField } from "../../kernel/json.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { modelPrograms } from "../connect/modelEndpoint.ts";
import { beginMark } from "../connect/sshSession.ts";
import { GpuStream } from "../gpu/gpuStream.ts";
import type { GpuFrame } from "../gpu/gpuStream.ts";
import { shapeOfConfig, shapeOfGguf, unknownShape } from "./modelFit.ts";
import type { ModelShape } from "./modelFit.ts";

/** Programs that serve models, as they call themselves, the preferred first. */
export const runtimeNames = {
  vllm: "vLLM",
  "llama.cpp": "llama.cpp",
  ollama: "Ollama",
} as const;

/** A program that serves models. */
export type RuntimeKind = keyof typeof runtimeNames;

/** A program that can serve models. */
export interface Runtime {
  readonly kind: RuntimeKind;
  /** Such as `0.9.1`; empty if it isn't known. */
  readonly version: string;
  /** The whole path of the program. */
  readonly program: string;
}

/** A model on the disk of the server. */
export interface DiskModel {
  /** `Qwen/Qwen2.5-7B-Instruct`, or the name of its folder or file. */
  readonly name: string;
  /** `hub` models are in the cache where runtimes look for their names. */
  readonly source: "hub" | "folder" | "gguf" | "ollama";
  /** Its folder or file; empty for a model of Ollama. */
  readonly path: string;
  readonly bytes: number;
  /** Whether files are missing because a download was interrupted. */
  readonly isPartial: boolean;
  readonly shape: ModelShape;
}

/** A server of models that runs already. */
export interface RunningEndpoint {
  readonly port: number;
  /** To whom the process belongs that listens. */
  readonly owner: string;
  readonly isOwn: boolean;
  /** Whether it is an account of the system, such as root, and not a person's. */
  readonly isSystem: boolean;
  /** Undefined if it wants a key, or couldn't be asked on the server. */
  readonly models: readonly string[] | undefined;
  readonly needsKey: boolean;
  /** Such as `Ollama`; empty if unknown. */
  readonly program: string;
  /** The container that publishes the port. */
  readonly container: string;
}

/** What a server has for serving models. All texts come from there. */
export interface ServeProbe {
  readonly home: string;
  readonly runtimes: readonly Runtime[];
  readonly models: readonly DiskModel[];
  readonly endpoints: readonly RunningEndpoint[];
  /** The ports on which something listens. */
  readonly taken: ReadonlySet<number>;
  readonly gpus: GpuFrame | undefined;
  /** Memory that is available to processors, in GiB. */
  readonly memoryGib: number | undefined;
}

const mostFound = 300;
interface Draft {
  home: string;
  memoryGib: number | undefined;
  account: string;
  readonly hubs: string[];
  readonly partial: Set<string>;
  readonly runtimes: Map<string, Runtime>;
  readonly models: Map<string, DiskModel>;
  readonly users: Map<string, string>;
  /** The user that listens, by the port. */
  readonly listeners: Map<number, string>;
  readonly served: Map<number, string>;
  readonly containers: Map<number, string>;
  last: string;
}

type Reader = (text: string, draft: Draft) => void;

/** A path becomes a quoted word of a command, and is shown. */
function isPath(path: string): boolean {
  return path.startsWith("/") && path.length < 1_000 && !/[\p{Cc}\p{Cf}\ufffd]/u.test(path);
}

const readers: Readonly<Record<string, Reader>> = {
  home(text, draft) {
    if (isPath(text)) draft.home = text;
  },
  memory(text, draft) {
    if (/^\d{1,12}$/.test(text)) draft.memoryGib = Number(text) / 2 ** 20;
  },
  account(text, draft) {
    draft.account = text;
  },
  hub(text, draft) {
    draft.hubs.push(text);
  },
  incomplete(text, draft) {
    draft.partial.add(text);
  },
  runtime(text, { runtimes }) {
    const [, kind = "", version = "", program = ""] = /^(\S{1,20}) (\S{1,60}) (.+)$/.exec(text) ?? [];
    if (!isRuntime(kind) || !isPath(program) || runtimes.size >= mostFound) return;
    const known = runtimes.get(program + kind);
    if (known === undefined || known.version === "")
      runtimes.set(program + kind, {
        ...{ kind, program },
        version: version === "-" ? "" : sanitizeLabel(version, 40),
      });
  },
  container(text, { containers }) {
    const name = /^\S{1,100}/.exec(text)?.[0] ?? "";
    for (const [, port] of text.slice(0, 1_000).matchAll(/:(\d{1,5})->/g)) containers.set(Number(port), name);
  },
  weights(text, draft) {
    const [, bytes, count, state = "", path = ""] =
      /^(\d{1,16}) (\d{1,5}) ((?:whole|partial)(?: of \d{1,6})?) (\/.*)$/.exec(text) ?? [];
    draft.last = path;
    if (!isPath(path) || draft.models.size >= mostFound || draft.models.has(path)) return;
    const hub = draft.hubs.some((folder) => path.startsWith(`${folder}/`));
    const parts = Number(/ of (\d+)$/.exec(state)?.[1] ?? count);
    const isPartial = state.startsWith("partial") || draft.partial.has(path) || Number(count) < parts;
    const name = hub ? hubName(path) : (path.split("/").at(-1) ?? path);
    // Runtimes find a name only in the usual place.
    const isUsual = hub && path.startsWith(`${draft.home}/.cache/huggingface/hub/`);
    draft.models.set(path, {
      ...{ name, path, isPartial, source: isUsual ? "hub" : "folder", bytes: Number(bytes) },
      shape: unknownShape,
    });
  },
  config(text, { models, last }) {
    const model = models.get(last);
    if (model === undefined) return;
    const config = parseJson(text);
    if (isRecord(config) && isForChat(config)) models.set(last, { ...model, shape: shapeOfConfig(config) });
    else if (isRecord(config)) models.delete(last);
  },
  gguf(text, draft) {
    const [, bytes, count, path = ""] = /^(\d{1,16}) (\d{1,5}) (\/.*)$/.exec(text) ?? [];
    draft.last = path;
    if (!isPath(path) || draft.models.size >= mostFound || draft.models.has(path)) return;
    const file = path.split("/").at(-1) ?? path;
    const parts = Number(/-of-(\d{5})\.gguf$/.exec(file)?.[1] ?? 1);
    draft.models.set(path, {
      ...{ name: file.replace(/(?:-\d{5}-of-\d{5})?\.gguf$/, ""), source: "gguf", path },
      ...{ bytes: Number(bytes), isPartial: Number(count) < parts, shape: unknownShape },
    });
  },
  head(text, { models, last }) {
    const model = models.get(last);
    if (model !== undefined) models.set(last, { ...model, shape: shapeOfGguf(text) });
  },
  manifest(text, { models }) {
    const [, name = "", json] = /^([\w.:-]{1,120}) (.*)$/.exec(text) ?? [];
    const manifest = parseJson(json);
    if (name === "" || !isRecord(manifest) || models.size >= mostFound) return;
    const bytes = recordsIn(manifest["layers"])
      .map(({ size }) => (typeof size === "number" ? size : 0))
      .reduce((total, size) => total + size, 0);
    models.set(name, {
      ...{ name, source: "ollama", path: "", bytes, isPartial: false, shape: unknownShape },
    });
  },
  listen(text, { listeners }) {
    const [, port = "", user = ""] = /^[\dA-F]{8,32}:([\dA-F]{4}) (\d{1,10})$/.exec(text) ?? [];
    if (port !== "" && listeners.size < mostFound) listeners.set(Number.parseInt(port, 16), user);
  },
  user(text, { users }) {
    const [, id = "", name = ""] = /^(\d{1,10}) (\S{1,60})$/.exec(text) ?? [];
    users.set(id, sanitizeLabel(name, 60));
  },
  served(text, { served }) {
    const [, port, rest = ""] = /^(\d{1,5}) (.*)$/.exec(text) ?? [];
    if (port !== undefined && served.size < mostFound) served.set(Number(port), rest);
  },
};

function isRuntime(kind: string): kind is RuntimeKind {
  return Object.hasOwn(runtimeNames, kind);
}

/** `models--Qwen--Qwen2.5-7B` in the path is `Qwen/Qwen2.5-7B`. */
function hubName(path: string): string {
  const folder = path.split("/").find((part) => part.startsWith("models--")) ?? "";
  return folder.slice("models--".length).replace("--", "/");
}

/** Whether the model writes text, judged by the name of what it is made of. */
function isForChat(config: Readonly<Record<string, unknown>>): boolean {
  const { architectures } = config;
  if (!Array.isArray(architectures) || config["is_encoder_decoder"] === true) return false;
  return architectures.some((name) => /ForCausalLM|ForConditionalGeneration|LMHeadModel/.test(String(name)));
}

/** Reads the lines of the probe, whatever a server prints instead, in linear time. */
export function readServeProbe(lines: readonly string[]): ServeProbe {
  const draft: Draft = {
    ...{ home: "", memoryGib: undefined, account: "", hubs: [], partial: new Set(), last: "" },
    ...{ runtimes: new Map(), models: new Map(), users: new Map() },
    ...{ listeners: new Map(), served: new Map(), containers: new Map() },
  };
  let gpus: GpuFrame | undefined;
  const stream = new GpuStream((frame) => (gpus = frame));
  stream.read(`${beginMark}\n`);
  for (const line of lines) {
    const [, mark = "", text = ""] = /^IG1 (\w{2,10}) (.*)$/.exec(line.slice(0, 50_000)) ?? [];
    if (Object.hasOwn(readers, mark)) readers[mark]?.(text.trim(), draft);
    else stream.read(`${line}\n`);
  }
  stream.flush();
  const { home, memoryGib, runtimes, models, listeners } = draft;
  const order = Object.keys(runtimeNames);
  const rank = (runtime: Runtime): number => order.indexOf(runtime.kind);
  return {
    ...{ home, memoryGib, gpus, taken: new Set(listeners.keys()) },
    runtimes: [...runtimes.values()].toSorted((first, second) => rank(first) - rank(second)),
    models: [...models.values()].toSorted((first, second) => first.name.localeCompare(second.name)),
    endpoints: [...listeners].flatMap((listener) => endpointOf(listener, draft) ?? []),
  };
}

/** A port on which a list of models, or the wish for a key, was found, or on which a known program usually listens. */
function endpointOf([port, user]: readonly [number, string], draft: Draft): RunningEndpoint | undefined {
  const reply = draft.served.get(port);
  const usual = modelPrograms.find((program) => program.port === port)?.name ?? "";
  const [, body = "", code] = /^(.*) (\d{3})$/.exec(reply ?? "") ?? [];
  const list = parseJson(body.trim());
  const entries = isRecord(list) ? recordsIn(list["data"]).slice(0, mostFound) : [];
  const needsKey = code === "401" || code === "403";
  const isList = isRecord(list) && Array.isArray(list["data"]);
  if (!(isList || needsKey || (reply === undefined && usual !== "") || code === "503")) return undefined;
  const maker = entries.map((entry) => stringField(entry, "owned_by")).find((name) => name !== undefined);
  return {
    port,
    owner: draft.users.get(user) ?? `UID ${user}`,
    isOwn: user === draft.account,
    isSystem: Number(user) < 1_000,
    models: isList ? entries.flatMap((entry) => stringField(entry, "id") ?? []) : undefined,
    needsKey,
    program: modelPrograms.find((program) => program.owner === maker)?.name ?? (isList ? "" : usual),
    container: draft.containers.get(port) ?? "",
  };
}
