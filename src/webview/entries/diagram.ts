// A bundle of the page: loaded when the first diagram is finished and near to sight. What draws runs in a frame only.
import "../kit/translations.ts";
import { text as frame } from "text:../markdown/diagram/frame.ts";
import { text as mermaid } from "text:mermaid/dist/mermaid.min.js";
import { diagramEvent } from "../markdown/diagram/diagramBundle.ts";
import type { CreateDiagrammer } from "../markdown/diagram/diagramBundle.ts";
import { Diagrammer } from "../markdown/diagram/diagrammer.ts";

const createDiagrammer: CreateDiagrammer = (cspNonce) => new Diagrammer(`${mermaid}\n;${frame}`, cspNonce);

document.dispatchEvent(new CustomEvent(diagramEvent, { detail: createDiagrammer }));
