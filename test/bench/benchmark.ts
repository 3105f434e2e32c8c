/** A measured value. `ratio` compares it with an alternative measured in the same run. */
export interface BenchmarkRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly ratio?: number;
  readonly ratioTo?: string;
  readonly target?: string;
  /**
   * The run fails if the ratio, or the value of a row without one, is higher, because the target is then missed by far.
   */
  readonly failAbove?: number;
  /** The run fails if the ratio, or the value of a row without one, is lower. */
  readonly failBelow?: number;
}

/** What a benchmark has measured, as it is written to `results.json`. */
export interface BenchmarkReport {
  readonly file: string;
  readonly title: string;
  readonly seconds: number;
  /** The average number of running processes per processor when it began: above 0.5, times without a ratio aren't judged. */
  readonly load: number;
  readonly rows: readonly BenchmarkRow[];
}

/** The `benchmark` export of every `*.bench.ts` file, which the runner finds by glob. */
export interface Benchmark {
  readonly title: string;
  run(): Promise<readonly BenchmarkRow[]>;
}
