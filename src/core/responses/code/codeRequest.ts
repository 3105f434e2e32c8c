import { stringField } from "../../kernel/json.ts";

/** What can be done with a code block besides copying it. */
export type CodeAction = "insert" | "newFile" | "apply" | "run";

/** A user's request to do something with a code block. */
export interface CodeRequest {
  readonly action: CodeAction;
  readonly code: string;
  /** As written at the fence, such as `ts`. */
  readonly language?: string;
  /** The file that the block or the line before it names. It comes from the model and must be resolved with care. */
  readonly fileName?: string;
}

const actions: ReadonlySet<string> = new Set<CodeAction>(["insert", "newFile", "apply", "run"]);

function isCodeAction(value: string | undefined): value is CodeAction {
  return value !== undefined && actions.has(value);
}

/** Validates a request from the page; undefined for anything that isn't a request. */
export function parseCodeRequest(record: Readonly<Record<string, unknown>>): CodeRequest | undefined {
  const action = stringField(record, "action");
  const code = stringField(record, "code");
  if (!isCodeAction(action) || code === undefined) return undefined;
  const language = stringField(record, "language");
  const fileName = stringField(record, "fileName");
  return {
    action,
    code,
    ...(language === undefined || language === "" ? {} : { language }),
    ...(fileName === undefined || fileName === "" ? {} : { fileName }),
  };
}
