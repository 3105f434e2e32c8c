// A bundle of the page: loaded when the first JSON answer has been checked.
import "./translations.ts";
import { CheckView } from "./structured/checkView.ts";
import { checkViewEvent } from "./structured/checkViewBundle.ts";
import type { CreateCheckView } from "./structured/checkViewBundle.ts";

const createView: CreateCheckView = (check, context) => new CheckView(check, context);

document.dispatchEvent(new CustomEvent(checkViewEvent, { detail: createView }));
