/** Who a request comes from, once its credential has been found good. */
export interface Identity {
  readonly userId: string;
  readonly account: string;
}
