// A bundle of the page: loaded when a JSON answer is viewed as a tree for the first time.
import "./translations.ts";
import { JsonTree } from "./structured/jsonTree.ts";
import { jsonTreeEvent } from "./structured/jsonTreeBundle.ts";
import type { CreateJsonTree } from "./structured/jsonTreeBundle.ts";

const createTree: CreateJsonTree = (value, copy) => new JsonTree(value, copy);

document.dispatchEvent(new CustomEvent(jsonTreeEvent, { detail: createTree }));
