// A bundle of the page: loaded when the first diagram is finished and near to sight. It runs nothing: it is what a frame will run.
import { text as frame } from "text:./diagram/frame.ts";
import { text as mermaid } from "text:mermaid/dist/mermaid.min.js";
import { diagramEvent } from "./diagram/diagramProtocol.ts";

document.dispatchEvent(new CustomEvent(diagramEvent, { detail: `${mermaid}\n;${frame}` }));
