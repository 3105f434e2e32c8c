/** One measured figure; `ratio` compares it with another way measured in the same run. */
export interface BenchmarkRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly ratio?: number;
  readonly ratioTo?: string;
  readonly target?: string;
}

/** What every `*.bench.ts` exports as `benchmark`; the runner finds the files by glob. */
export interface Benchmark {
  readonly title: string;
  run(): Promise<readonly BenchmarkRow[]>;
}
