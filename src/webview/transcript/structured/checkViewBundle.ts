import type { ResponseCheck } from "../../../core/responses/structured/responseCheck.ts";
import type { CheckView, CheckViewContext } from "./checkView.ts";

/** What the bundle of checked answers brings: a view of what was found. */
export type CreateCheckView = (check: ResponseCheck, context: CheckViewContext) => CheckView;

/** The bundle hands its function over in an event of this name, as `detail`. */
export const checkViewEvent = "inference-gateway-check-view";

declare global {
  interface DocumentEventMap {
    readonly [checkViewEvent]: CustomEvent<CreateCheckView>;
  }
}
