import { beginMark } from "../connect/sshSession.ts";
import type { GpuProcess } from "./serverUse.ts";
import {
  MigReader,
  amdNames,
  mostGpus,
  readAmdValues,
  readNvidiaRow,
  withSharedMemory,
} from "./gpuReadings.ts";
import type { GpuSample } from "./gpuReadings.ts";
import { GpuProcesses } from "./gpuProcesses.ts";
import { readGpuTables } from "./gpuTables.ts";

/** A GPU that the driver lists but can't reach. */
export interface LostGpu {
  readonly index: number | undefined;
  /** Its address on the bus, such as `00000000:C7:00.0`. */
  readonly bus: string | undefined;
}

/** All GPUs of a server at one moment. */
export interface GpuFrame {
  readonly samples: readonly GpuSample[];
  readonly lost: readonly LostGpu[];
  /** Milliseconds between two frames, if the tool is asked less often than the user wants. */
  readonly everyMs: number | undefined;
  /** Undefined until they are known. */
  readonly processes?: readonly GpuProcess[] | undefined;
  readonly requests?: string | undefined;
  readonly busyCores?: number | undefined;
  readonly networkBytesPerSecond?: number | undefined;
  /** On the disk with the home folder. */
  readonly diskFreeBytes?: number | undefined;
  /** Tools that reported no GPU, with what they printed instead. */
  readonly failed?: readonly { readonly tool: string; readonly words: string }[];
}

const longestLine = 1_000;
/** UTF-16 code units of a tool's output in one tick: that of AMD's for 64 GPUs is about 300,000. */
const mostText = 500_000;
const mostWords = 2_000;
/** Number of ticks without any value after which a tool that has reported values is considered broken. */
const mostEmptyTicks = 3;
const nvidia = "nvidia-smi";

/** Names and amounts of memory by index, which some tools report only once. */
type Known = ReadonlyMap<number, Partial<GpuSample>>;

/** What the server says about itself at one moment. */
interface HostValues {
  readonly uptime: number;
  readonly cpuNanoseconds: number;
  readonly networkBytes: number;
}

/**
 * Reads what the script prints, whatever a server sends instead: in linear time, and never holding more than one frame.
 */
export class GpuStream {
  readonly #onFrame: (frame: GpuFrame) => void;
  readonly #mig = new MigReader();
  readonly #processes = new GpuProcesses();
  #line = "";
  #isTooLong = false;
  /** The rows of `nvidia-smi` that belong to the next frame. */
  #rows: GpuSample[] = [];
  /** What the tools have reported in this tick. */
  #groups = new Map<string, readonly GpuSample[]>();
  #failed: { readonly tool: string; readonly words: string }[] = [];
  readonly #buses = new Set<string>();
  #highest = -1;
  /** The number of the last GPU in the last frame. */
  #last = -1;
  /** Number of consecutive frames without the last GPUs. */
  #shortFrames = 0;
  #hasBegun = false;
  #end: number | undefined;
  #words = "";
  #tool: string = nvidia;
  /** Tools other than `nvidia-smi` are read when their output is complete. */
  #text = "";
  #isNaming = false;
  readonly #known = new Map<string, Known>();
  #everyMs: number | undefined;
  #isInTick = false;
  #emptyTicks = 0;
  /** Number of consecutive frames in which a GPU's utilization is unknown. */
  #unknownFrames = 0;
  #latest: GpuFrame | undefined;
  #host: HostValues | undefined;
  #load: Pick<GpuFrame, "busyCores" | "networkBytesPerSecond"> = {};
  #memory: readonly [number, number] | undefined;
  #diskFreeBytes: number | undefined;
  /** Whether the output of `df` comes next. */
  #isDisk = false;
  #question: `ask ${string}` | undefined;

  constructor(onFrame: (frame: GpuFrame) => void) {
    this.#onFrame = onFrame;
  }

  /** Whether the shell of the server has run the script. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether there was a frame. */
  get hasValues(): boolean {
    return this.#latest !== undefined;
  }

  /** The exit code of the tool; undefined while it runs, or if the connection was lost. */
  get end(): number | undefined {
    return this.#end;
  }

  /** What the tools printed instead of values. */
  get words(): string {
    return this.#words;
  }

  /** The tool that is running. */
  get tool(): string {
    return this.#tool;
  }

  /**
   * Whether the running tool should be called repeatedly instead: it doesn't report the instances of a GPU that is
   * split, and with some drivers it reports nothing after the first values.
   */
  get wantsCalls(): boolean {
    return this.#unknownFrames >= 2;
  }

  /** Whether the tools are called repeatedly without reporting anything. */
  get isFruitless(): boolean {
    return this.#emptyTicks >= (this.hasValues ? mostEmptyTicks : 1);
  }

  /** A question for the server that has come up; undefined if there is none, and the next time. */
  takeQuestion(): `ask ${string}` | undefined {
    const question = this.#question;
    this.#question = undefined;
    return question;
  }

  /** Reads the next part of the output, however it is cut. Complete frames are passed to the listener. */
  read(chunk: string): void {
    let from = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", from)) {
      this.#keep(chunk.slice(from, end));
      if (!this.#isTooLong) this.#take(this.#line.trim());
      this.#line = "";
      this.#isTooLong = false;
      from = end + 1;
    }
    this.#keep(chunk.slice(from));
  }

  /**
   * Called when nothing has arrived for a moment: the rows so far are a complete frame, unless GPUs of the last frame are
   * missing at the end. They are only late, or lost: the next frame shows which.
   */
  flush(): void {
    const last = this.#rows.at(-1);
    if (!this.#isInTick && last !== undefined && last.index >= this.#last) this.#endRows();
  }

  #endRows(): void {
    const rows = this.#rows;
    this.#rows = [];
    this.#report(new Map([[nvidia, rows]]));
  }

  #report(groups: ReadonlyMap<string, readonly GpuSample[]>): void {
    const found = [...groups].filter(([, samples]) => samples.length > 0);
    // The only GPU may be the one that is lost.
    if (found.length === 0 && (this.#buses.size === 0 || this.hasValues)) return;
    const reached = found.flatMap(([tool, samples]) =>
      samples
        .filter(({ isLost }) => isLost !== true)
        .map((sample) => (found.length > 1 ? { ...sample, tool } : sample)),
    );
    const isUnknown = reached.some(({ utilizationPercent }) => utilizationPercent === undefined);
    this.#unknownFrames = isUnknown ? this.#unknownFrames + (this.hasValues ? 1 : 2) : 0;
    this.#emptyTicks = 0;
    const [used, total] = this.#memory ?? [];
    const samples =
      used === undefined || total === undefined
        ? reached
        : reached.map((sample) => withSharedMemory(sample, used, total));
    const lost = this.#lostAmong(groups.get(nvidia) ?? []);
    const failed = this.#failed.length === 0 ? {} : { failed: this.#failed };
    this.#latest = { samples, lost, everyMs: this.#everyMs, ...failed };
    this.#emit();
  }

  #emit(): void {
    if (this.#latest === undefined) return;
    const { known: processes, requests } = this.#processes;
    const about = processes === undefined ? {} : { processes, requests };
    const disk = this.#diskFreeBytes === undefined ? {} : { diskFreeBytes: this.#diskFreeBytes };
    this.#onFrame({ ...this.#latest, ...this.#load, ...disk, ...about });
  }

  /** Those that the driver names, and those whose number is missing among the others. */
  #lostAmong(samples: readonly GpuSample[]): readonly LostGpu[] {
    const present = new Set(samples.map(({ index }) => index));
    const last = Math.max(-1, ...present);
    this.#last = last;
    // The last rows may only be late.
    this.#shortFrames = last < this.#highest ? this.#shortFrames + 1 : 0;
    this.#highest = Math.max(this.#highest, last);
    const end = this.#shortFrames > 1 && samples.length > 0 ? this.#highest : last;
    const missing = Array.from({ length: end + 1 }, (_, index) => index).filter(
      (index) => !present.has(index),
    );
    const silent = samples.filter(({ isLost }) => isLost === true).map(({ index }) => index);
    const indexes = [...missing, ...silent].sort((one, other) => one - other);
    const buses = [...this.#buses];
    const isSameCount = buses.length === indexes.length;
    if (isSameCount || buses.length === 0)
      return indexes.map((index, place) => ({ index, bus: buses[place] }));
    // Which of them has which number isn't known.
    return Array.from({ length: Math.max(buses.length, indexes.length) }, (_, place) => ({
      ...{ index: indexes.length > buses.length ? indexes[place] : undefined, bus: buses[place] },
    }));
  }

  #keep(piece: string): void {
    const longest = this.#tool === nvidia && !this.#isInTick && !this.#isNaming ? longestLine : mostText;
    if (this.#line.length + piece.length > longest) {
      this.#isTooLong = true;
      this.#line = "";
    } else if (!this.#isTooLong) this.#line += piece;
  }

  #take(line: string): void {
    if (!this.#hasBegun) {
      this.#hasBegun = line === beginMark;
      return;
    }
    if (line.startsWith("IG1 ") && this.#takeMark(line)) return;
    if (this.#isDisk && this.#takeDisk(line)) return;
    if (this.#tool === nvidia && this.#takeRow(line.slice(0, longestLine))) return;
    if (!this.#isInTick && !this.#isNaming) this.#say(line);
    else if (this.#text.length + line.length < mostText) this.#text += `${line}\n`;
  }

  /** Whether it is the line of `df` with the free space, in KiB. */
  #takeDisk(line: string): boolean {
    const free = / \d{1,15} +-?\d{1,15} +(-?\d{1,15}) +(?:\d{1,3}%|-) +\//.exec(line)?.[1];
    if (free === undefined) return false;
    this.#isDisk = false;
    this.#diskFreeBytes = Math.max(0, Number(free)) * 1_024;
    return true;
  }

  /** Whether it is a line of `nvidia-smi`: a row, an error, a process, or a part of a list or table. */
  #takeRow(line: string): boolean {
    const sample = readNvidiaRow(line);
    if (sample !== undefined) {
      const last = this.#rows.at(-1);
      if (last !== undefined && sample.index <= last.index) this.#endRows();
      if (this.#rows.length < mostGpus) this.#rows.push(sample);
      return true;
    }
    if (/^Unable to determine the device handle for gpu/i.test(line)) {
      const bus = /[\da-f]{4,8}:[\da-f]{2}:[\da-f]{2}\.[\da-f]/i.exec(line)?.[0].toUpperCase();
      if (this.#buses.size < mostGpus) this.#buses.add(bus?.padStart(16, "0") ?? "");
      return true;
    }
    return this.#processes.read(line) || this.#mig.read(line);
  }

  #takeMark(line: string): boolean {
    const [, mark = "", rest = ""] = /^IG1 ([a-z]{2,9})(?: (.{0,900}))?$/.exec(line) ?? [];
    switch (mark) {
      case "end":
        this.#endTool();
        this.#isInTick = false;
        this.#endRows();
        this.#end = Number(/^\d{1,3}$/.exec(rest)?.[0] ?? "0");
        // What the server has said about itself since the last frame.
        if (this.#processes.known !== undefined) this.#emit();
        return true;
      case "every":
        this.#everyMs = Math.min(Number(/^\d{1,3}$/.exec(rest)?.[0] ?? "0"), 600) * 1_000;
        return true;
      case "names":
        this.#endTool();
        this.#isNaming = rest !== nvidia;
        this.#tool = rest === "" ? "amd-smi" : rest;
        return true;
      case "tool":
        this.#endTool();
        this.#tool = rest;
        return true;
      case "tick":
        this.#endTool();
        // Rows before it belong to a stream that has ended.
        [this.#rows, this.#failed] = [[], []];
        this.#groups = new Map();
        this.#isInTick = true;
        return true;
      case "tock":
        this.#endTick();
        return true;
      default:
        return this.#takeFact(mark, rest);
    }
  }

  #takeFact(mark: string, rest: string): boolean {
    switch (mark) {
      case "disk":
        this.#isDisk = true;
        return true;
      case "host":
        this.#takeHost(rest);
        return true;
      case "apps":
        this.#question = this.#processes.endList();
        if (this.#question === undefined) this.#emit();
        return true;
      case "process":
      case "requests":
      case "me":
      case "asked":
        if (this.#processes.takeReply(mark, rest)) this.#emit();
        return true;
      default:
        return false;
    }
  }

  #takeHost(text: string): void {
    const [uptime = NaN, cpuNanoseconds = NaN, networkBytes = NaN, total, available] = text
      .split(" ")
      .slice(0, 5)
      .map((word) => (/^\d{1,20}(?:\.\d{1,9})?$/.test(word) ? Number(word) : NaN));
    if (total !== undefined && available !== undefined && total >= available)
      this.#memory = [Math.round((total - available) / 1_024), Math.round(total / 1_024)];
    const before = this.#host;
    this.#host = { uptime, cpuNanoseconds, networkBytes };
    const seconds = uptime - (before?.uptime ?? NaN);
    const rate = (now: number, then = NaN): number | undefined =>
      seconds >= 1 && now >= then ? (now - then) / seconds : undefined;
    const nanoseconds = rate(cpuNanoseconds, before?.cpuNanoseconds);
    this.#load = {
      busyCores: nanoseconds === undefined ? undefined : nanoseconds / 1e9,
      networkBytesPerSecond: rate(networkBytes, before?.networkBytes),
    };
  }

  /** Reads what the tool has printed, now that it is complete. */
  #endTool(): void {
    const text = this.#text;
    const tool = this.#tool;
    this.#text = "";
    if (this.#isNaming) {
      this.#isNaming = false;
      const names = [...amdNames(text)].map(([index, name]) => [index, { name }] as const);
      const listed = readGpuTables(text).map((sample) => [sample.index, sample] as const);
      this.#known.set(tool, new Map<number, Partial<GpuSample>>(names.length > 0 ? names : listed));
      return;
    }
    if (!this.#isInTick) return;
    const rows = tool === nvidia ? this.#mig.take(this.#rows) : [];
    if (tool === nvidia) this.#rows = [];
    const samples = rows.length > 0 ? rows : this.#readText(text, tool);
    if (tool === "npu-smi") this.#processes.readTable(text);
    this.#groups.set(tool, samples);
    if (samples.length > 0 || text.trim() === "") return;
    this.#failed.push({ tool, words: text.slice(0, mostWords) });
    this.#say(text);
  }

  #readText(text: string, tool: string): readonly GpuSample[] {
    const known = this.#known.get(tool);
    const names = [...(known ?? [])].map(([index, { name = "" }]) => [index, name] as const);
    const values = readAmdValues(text, new Map(names));
    return (values.length > 0 ? values : readGpuTables(text)).map((sample) => ({
      ...sample,
      name: sample.name || known?.get(sample.index)?.name,
      memoryTotalMiB: sample.memoryTotalMiB ?? known?.get(sample.index)?.memoryTotalMiB,
    }));
  }

  #endTick(): void {
    if (!this.#isInTick) return;
    this.#endTool();
    this.#isInTick = false;
    this.#emptyTicks++;
    this.#tool = nvidia;
    // On a Jetson, nvidia-smi lists the GPU without any value.
    const isBlank = ({ utilizationPercent, memoryUsedMiB }: GpuSample): boolean =>
      utilizationPercent === undefined && memoryUsedMiB === undefined;
    if (this.#groups.has("tegrastats") && this.#groups.get(nvidia)?.every(isBlank) === true)
      this.#groups.delete(nvidia);
    this.#report(this.#groups);
  }

  #say(text: string): void {
    if (text.trim() !== "" && this.#words.length < mostWords) this.#words += `${text.slice(0, mostWords)}\n`;
  }
}
