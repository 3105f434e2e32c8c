import { inertText } from "../../kernel/foreignText.ts";
import type { GpuProcess } from "./serverUse.ts";

/** Maximum number of processes of a server that are shown. */
const mostProcesses = 32;
/** UTF-16 code units of a name from a server. */
const longestName = 60;

/** What a tool lists: a process with the memory that it holds. */
interface Listed {
  readonly pid: number;
  readonly gpu: number | undefined;
  readonly memoryMiB: number | undefined;
  readonly name: string | undefined;
}

/** A process and those that have started it. */
interface Lineage {
  readonly user: string;
  readonly commands: string[];
}

/** Programs that serve models: a word of their command lines. */
const modelServers = /\b(?:vllm|sglang|llama-server|ollama|text-generation-(?:launcher|server)|tgi)\b/i;

/** The options that name a model, the best name first. */
const modelOptions = "--served-model-name --alias --model-id --model-path --model -hf --hf-repo".split(" ");

/** The processes that hold memory of the GPUs, as they become known line by line. */
export class GpuProcesses {
  #listed: Listed[] = [];
  #next: Listed[] = [];
  readonly #gpus = new Map<string, number>();
  #lineages = new Map<number, Lineage>();
  #me: string | undefined;
  /** Undefined until a list is complete. */
  #known: readonly GpuProcess[] | undefined;
  #requests: string | undefined;

  get known(): readonly GpuProcess[] | undefined {
    return this.#known;
  }

  /** Changes whenever the model servers receive a request. */
  get requests(): string | undefined {
    return this.#requests;
  }

  /** Whether the line belongs to the list of processes, or to the list of GPUs by which it names them. */
  read(line: string): boolean {
    const [, gpu, uuid] = /^GPU (\d{1,4}): .{0,200}\(UUID: ([\w-]{1,60})\)/.exec(line) ?? [];
    if (uuid !== undefined && this.#gpus.size < 1_024) this.#gpus.set(uuid, Number(gpu));
    if (uuid !== undefined) return false;
    const [, owner = "", pid, memory = "", name = ""] =
      /^((?:GPU|MIG)-[\w-]{1,60}), ?(\d{1,10}), ?([^,]{1,40}),(.*)$/.exec(line) ?? [];
    if (pid === undefined) return false;
    this.#list(Number(pid), this.#gpus.get(owner), memory, name.trim());
    return true;
  }

  /** The processes in the table of `npu-smi`. */
  readTable(text: string): void {
    const row = /^\| (\d{1,4}) +\d{1,4} +\| (\d{1,10}) +\| ([^|\n]{1,60}?) +\| (\d{1,9}) +\|/gm;
    for (const [, gpu, pid, name = "", memory = ""] of text.matchAll(row))
      this.#list(Number(pid), Number(gpu), memory, name);
  }

  /** The end of a list. Returns the question about its processes for the server; undefined if there are none. */
  endList(): `ask ${string}` | undefined {
    this.#listed = this.#next;
    this.#next = [];
    this.#lineages = new Map();
    this.#requests = undefined;
    if (this.#listed.length > 0) return `ask ${[...new Set(this.#listed.map(({ pid }) => pid))].join(" ")}`;
    this.#known = [];
    return undefined;
  }

  /** A line of the reply to the question. Returns whether it was the last. */
  takeReply(mark: string, rest: string): boolean {
    if (mark === "me") this.#me = rest;
    if (mark === "requests" && !rest.endsWith(" 0")) this.#requests = rest.slice(0, 60);
    if (mark === "process") {
      const [, pid, user = "", command = ""] = /^(\d{1,10}) (\S{1,60}) (.*)$/.exec(rest) ?? [];
      const lineage = this.#lineages.get(Number(pid)) ?? { user, commands: [] };
      if (this.#lineages.size < mostProcesses) this.#lineages.set(Number(pid), lineage);
      if (lineage.commands.length < 5) lineage.commands.push(command.trim());
    }
    if (mark !== "asked") return false;
    this.#known = this.#listed.map((listed) => this.#describe(listed));
    return true;
  }

  #list(pid: number, gpu: number | undefined, memory: string, name: string): void {
    const isNamed = name !== "" && !name.startsWith("[") && name !== "N/A" && name !== "-";
    const memoryMiB = /^\d{1,9}$/.test(memory) ? Number(memory) : undefined;
    if (this.#next.length < mostProcesses)
      this.#next.push({ pid, gpu, memoryMiB, name: isNamed ? name : undefined });
  }

  /** A process without a name runs in another container: the same number may be another process here. */
  #describe({ name, ...listed }: Listed): GpuProcess {
    const lineage = name === undefined ? undefined : this.#lineages.get(listed.pid);
    const { user, commands = [] } = lineage ?? {};
    const text = programName(commands[0] ?? "") ?? programName(name ?? "");
    return {
      ...listed,
      name: text === undefined ? undefined : inertText(text, longestName),
      user: user === undefined ? undefined : inertText(user, longestName),
      isOwn: user !== undefined && user === this.#me,
      model: servedModel(name === undefined ? [] : [name, ...commands]),
    };
  }
}

/** The script that Python runs, otherwise the program, without folders. */
export function programName(command: string): string | undefined {
  const words = command.split(" ").filter((word) => word !== "");
  const script =
    words.slice(1).find((word) => word.endsWith(".py")) ??
    words.slice(1, 2).find((word) => !word.startsWith("-"));
  const module = words[words.indexOf("-m") + 1];
  const [first] = words;
  const isPython = /(?:^|\/)python[\d.]*$/.test(first ?? "");
  return (
    ((isPython ? (script ?? (words.includes("-m") ? module : undefined)) : undefined) ?? first)
      ?.split("/")
      .at(-1)
      // Such as `nginx: master process`, as programs call themselves.
      ?.replace(/:$/, "")
  );
}

/**
 * The model that the processes serve, the last one being that which started the others; empty if a model server doesn't
 * name it, and undefined without a model server.
 */
function servedModel(commands: readonly string[]): string | undefined {
  const servers = commands.filter((command) => modelServers.test(command));
  for (const command of servers) {
    const words = command.split(/[ =]+/);
    const served = words.indexOf("serve");
    const after = (option: string): string | undefined =>
      words.includes(option) ? words[words.indexOf(option) + 1] : undefined;
    const found =
      modelOptions.map(after).find((word) => word !== undefined) ??
      (/\bllama-server\b/.test(command) ? after("-m") : undefined) ??
      (/\bvllm\b/.test(command) && served !== -1 ? words[served + 1] : undefined);
    const name = found?.split("/").at(-1) ?? "";
    if (name !== "" && !name.startsWith("-") && !name.startsWith("sha256"))
      return inertText(name, longestName);
  }
  return servers.length > 0 ? "" : undefined;
}
