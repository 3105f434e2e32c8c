/** What a server goes through, with the seconds that each state lasts. */
const cycle = [
  { status: "Running", seconds: 120 },
  { status: "Stopping", seconds: 10 },
  { status: "Stopped", seconds: 35 },
  { status: "Provisioning", seconds: 15 },
] as const;
const cycleSeconds = cycle.reduce((sum, { seconds }) => sum + seconds, 0);

/** Every so many servers one is busy; the others rest in the state that they began with. */
const busyEvery = 4;

/** The state after so many seconds of a server that began with `first`. The states of passage always pass. */
export function statusAt(first: string, index: number, seconds: number): string {
  const isPassing = first === "Provisioning" || first === "Stopping";
  const begin = cycle.findIndex(({ status }) => status === first);
  if (begin === -1 || (!isPassing && index % busyEvery !== 1)) return first;
  let left = seconds % cycleSeconds;
  for (let step = begin; ; step++) {
    const state = cycle[step % cycle.length];
    if (state === undefined || left < state.seconds) return state?.status ?? first;
    left -= state.seconds;
  }
}
