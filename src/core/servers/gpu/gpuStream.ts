import { beginMark, remoteScript } from "../connect/sshSession.ts";
import { MigReader, amdNames, mostGpus, nvidiaQuery, readAmdValues, readNvidiaRow } from "./gpuReadings.ts";
import type { GpuSample } from "./gpuReadings.ts";

/** All GPUs of a server at one moment. */
export interface GpuFrame {
  readonly samples: readonly GpuSample[];
  /** GPUs that the driver lists but can't reach. */
  readonly lost: number;
  /** Milliseconds between two frames, if the tool is asked less often than the user wants. */
  readonly everyMs: number | undefined;
}

/** Minimum number of seconds between two calls of AMD's tools: each takes about a second of CPU time. */
const leastAmdSeconds = 10;

/**
 * What the server runs. The first tool on the server that can reach a GPU is used. USR1 makes the script call
 * `nvidia-smi` again and again instead of leaving it running. Nothing in the script comes from outside except the number.
 * @param seconds A whole number.
 */
export function gpuScript(seconds: number): string {
  const pause = Math.round(seconds);
  const amdPause = Math.max(leastAmdSeconds, pause);
  return remoteScript(`m=
trap 'm=1; kill $p' USR1
query() { run nvidia-smi --query-gpu=${nvidiaQuery} --format=csv,noheader,nounits "$@"; }
table() { query; run nvidia-smi; }
every() { while :; do echo; echo "IG1 tick"; "$@"; echo; echo "IG1 tock"; run sleep "$n"; done; }
n=${pause}; s=127
if has nvidia-smi; then
  query -l "$n"; s=$?
  if [ "$m" ]; then wait "$p"; echo; run nvidia-smi -L; every table; fi
  case $s in 6|9|12|18) ;; *) echo "IG1 end $s"; exit 0 ;; esac
fi
n=${amdPause}
if has amd-smi; then
  echo "IG1 every $n"; echo "IG1 names"
  if run amd-smi static --asic --json || ! has rocm-smi; then
    every run amd-smi metric --usage --mem-usage --power --temperature --json
  fi
fi
if has rocm-smi; then
  echo; echo "IG1 every $n"
  every run rocm-smi --showproductname --showuse --showmeminfo vram --showtemp --showpower --json
fi
echo "IG1 end $s"`);
}

const longestLine = 1_000;
/** UTF-16 code units of JSON in one tick: the complete output for 64 GPUs is about 300,000. */
const mostJson = 500_000;
const mostWords = 2_000;
/** Number of ticks without any value after which a tool that has reported values is considered broken. */
const mostEmptyTicks = 3;

/**
 * Reads what the script prints, whatever a server sends instead: in linear time, and never holding more than one frame.
 */
export class GpuStream {
  readonly #onFrame: (frame: GpuFrame) => void;
  readonly #mig = new MigReader();
  #line = "";
  #isTooLong = false;
  #samples: GpuSample[] = [];
  readonly #lost = new Set<string>();
  #hasBegun = false;
  #end: number | undefined;
  #words = "";
  /** The JSON of AMD's tools; undefined while none is expected. */
  #json: string | undefined;
  #names: ReadonlyMap<number, string> = new Map();
  #everyMs: number | undefined;
  #isInTick = false;
  #emptyTicks = 0;
  /** Number of consecutive frames in which a GPU's utilization is unknown. */
  #unknownFrames = 0;
  #hasValues = false;

  constructor(onFrame: (frame: GpuFrame) => void) {
    this.#onFrame = onFrame;
  }

  /** Whether the shell of the server has run the script. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** The exit code of the tool; undefined while it runs, or if the connection was lost. */
  get end(): number | undefined {
    return this.#end;
  }

  /** What the tool printed instead of values. */
  get words(): string {
    return this.#words;
  }

  /**
   * Whether the running tool should be called repeatedly instead: it doesn't report the instances of a GPU that is
   * split, and with some drivers it reports nothing after the first values.
   */
  get wantsCalls(): boolean {
    return this.#unknownFrames >= 2;
  }

  /** Whether the tool is called repeatedly without reporting anything. */
  get isFruitless(): boolean {
    return this.#emptyTicks >= (this.#hasValues ? mostEmptyTicks : 1);
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
   * Called when nothing has arrived for a moment: the rows so far are a complete frame, even if earlier frames had more
   * GPUs.
   */
  flush(): void {
    if (!this.#isInTick) this.#report(this.#samples);
  }

  #report(samples: readonly GpuSample[]): void {
    if (samples.length > 0) {
      const isUnknown = samples.some(({ utilizationPercent }) => utilizationPercent === undefined);
      this.#unknownFrames = isUnknown ? this.#unknownFrames + (this.#hasValues ? 1 : 2) : 0;
      this.#hasValues = true;
      this.#emptyTicks = 0;
      this.#onFrame({ samples, lost: this.#lost.size, everyMs: this.#everyMs });
    }
    this.#samples = [];
  }

  #keep(piece: string): void {
    const longest = this.#json === undefined ? longestLine : mostJson;
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
    if (this.#json !== undefined) {
      if (this.#json.length + line.length < mostJson) this.#json += `${line}\n`;
      return;
    }
    const sample = readNvidiaRow(line);
    if (sample !== undefined) {
      const last = this.#samples.at(-1);
      if (last !== undefined && sample.index <= last.index) this.flush();
      if (this.#samples.length < mostGpus) this.#samples.push(sample);
    } else if (/^Unable to determine the device handle for gpu/i.test(line)) {
      if (this.#lost.size < mostGpus) this.#lost.add(line.slice(0, 120));
    } else if (!this.#mig.read(line)) this.#say(line);
  }

  #takeMark(line: string): boolean {
    const [, mark, number] = /^IG1 (end|every|names|tick|tock)(?: (\d{1,3}))?$/.exec(line) ?? [];
    switch (mark) {
      case "end":
        this.#isInTick = false;
        this.flush();
        this.#end = Number(number);
        return true;
      case "every":
        this.#everyMs = Number(number) * 1_000;
        return true;
      case "names":
        this.#json = "";
        return true;
      case "tick":
        // Before the first tick, the names of AMD's GPUs are printed. Rows before it belong to a stream that has ended.
        if (this.#json !== undefined && this.#names.size === 0) this.#names = amdNames(this.#json);
        this.#json = this.#everyMs === undefined ? undefined : "";
        this.#samples = [];
        this.#isInTick = true;
        return true;
      case "tock":
        this.#endTick();
        return true;
      default:
        return false;
    }
  }

  #endTick(): void {
    if (!this.#isInTick) return;
    const samples =
      this.#json === undefined ? this.#mig.take(this.#samples) : readAmdValues(this.#json, this.#names);
    this.#isInTick = false;
    this.#emptyTicks++;
    if (samples.length === 0 && this.#json !== undefined) this.#say(this.#json);
    this.#json = this.#json === undefined ? undefined : "";
    this.#report(samples);
  }

  #say(text: string): void {
    if (text !== "" && this.#words.length < mostWords) this.#words += `${text.slice(0, mostWords)}\n`;
  }
}
