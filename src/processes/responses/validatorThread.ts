// The thread that checks values, so that a pattern that never finishes can be ended with it.
import { parentPort } from "node:worker_threads";
import { isRecord } from "../../core/kernel/json.ts";
import { messageOf } from "../../core/kernel/thrown.ts";
import type { SchemaVerdict } from "../../core/responses/structured/responseCheck.ts";
import { validateJson } from "./validateJson.ts";

parentPort?.on("message", (request: unknown) => {
  if (!isRecord(request)) return;
  const { schema, json } = request;
  parentPort?.postMessage(verdictOn(schema, typeof json === "string" ? json : undefined));
});
parentPort?.postMessage("ready");

/** A value or a schema that is nested too deeply for the stack must not end the thread. */
function verdictOn(schema: unknown, json: string | undefined): SchemaVerdict {
  try {
    return validateJson(schema, json);
  } catch (error) {
    return { state: "badSchema", message: messageOf(error) };
  }
}
