/**
 * Called between two slices of long work. It resolves at once, or after the process has done something else, so the
 * caller decides how long a slice is.
 */
export type Pause = () => Promise<void>;
