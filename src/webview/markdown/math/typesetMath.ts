/** What the math bundle brings: TeX as a node, with MathML in it for screen readers. Throws an Error where it isn't TeX. */
export type TypesetMath = (tex: string, isDisplay: boolean) => Node;

/** The math bundle hands its function over in an event of this name, as `detail`. */
export const mathEvent = "inference-gateway-math";

declare global {
  interface DocumentEventMap {
    readonly [mathEvent]: CustomEvent<TypesetMath>;
  }
}
