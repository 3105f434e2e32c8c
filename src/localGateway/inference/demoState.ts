/** What the demo models know beside the request. */
export interface DemoState {
  readonly seed: number;
  /** How often the rate-limited model has refused since it last answered. */
  refusals: number;
}
