// A bundle of the page: loaded when the first JSON answer has been checked.
import "../kit/translations.ts";
import { CheckView } from "../transcript/structured/checkView.ts";
import { checkViewEvent } from "../transcript/structured/checkViewBundle.ts";
import type { CreateCheckView } from "../transcript/structured/checkViewBundle.ts";

const createView: CreateCheckView = (check, context) => new CheckView(check, context);

document.dispatchEvent(new CustomEvent(checkViewEvent, { detail: createView }));
