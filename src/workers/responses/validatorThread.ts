// The thread that checks values and texts, so that a pattern that never finishes can be ended with it.
import { parentPort } from "node:worker_threads";
import { isRecord } from "../../core/kernel/json.ts";
import { messageOf } from "../../core/kernel/thrown.ts";
import type { SchemaVerdict } from "../../core/responses/structured/responseCheck.ts";
import { validateJson } from "./validateJson.ts";

parentPort?.on("message", (request: unknown) => {
  if (!isRecord(request)) return;
  const { schema, json, pattern, flags, text } = request;
  const verdict =
    typeof pattern === "string" && typeof text === "string"
      ? matchOn(pattern, typeof flags === "string" ? flags : "", text)
      : verdictOn(schema, typeof json === "string" ? json : undefined);
  parentPort?.postMessage(verdict);
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

function matchOn(pattern: string, flags: string, text: string): SchemaVerdict {
  try {
    const isMatch = new RegExp(pattern, `u${flags}`).test(text);
    return isMatch ? { state: "valid" } : { state: "invalid", problems: [], more: 0 };
  } catch (error) {
    return { state: "badSchema", message: messageOf(error) };
  }
}
