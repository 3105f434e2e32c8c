import { t } from "@vscode/l10n";
import { isRecord, parseJson } from "../../kernel/json.ts";
import { formatNumber } from "../../kernel/formatTime.ts";
import { redactionMark } from "../../account/redaction.ts";
import type { SentRequest } from "../../conversation/completion.ts";
import { escapeInvisible } from "../../kernel/foreignText.ts";
import { countElided, elideMedia } from "./jsonText.ts";

/** The environment variable that the copied code checks for the key before it falls back to the placeholder. */
export const keyVariable = "INFERENCE_API_KEY";

/** Stands for the key in copied code, because the key itself is never copied. */
export const keyPlaceholder = "YOUR_API_KEY";

/** A header as written in code: a text, or one that ends with a secret from an environment variable. */
export interface CopyableHeader {
  readonly name: string;
  readonly text: string;
  readonly secret?: { readonly variable: string; readonly placeholder: string };
}

/** The parts that the code in every language is built from. */
export interface CopyableRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly CopyableHeader[];
  /** The JSON text of the body. */
  readonly body: string;
  readonly isStreamed: boolean;
  /** Number of images and audio files that are missing from the body. */
  readonly elided: number;
}

/** Larger bodies, in UTF-16 units, are copied without their images and audio. */
const maxBody = 8 * 1024 * 1024;

/** Headers that a client sets on its own. */
const ownHeaders: ReadonlySet<string> = new Set(["accept-encoding", "user-agent", "content-length", "host"]);

/** Prepares a recorded request for copying it as code. */
export function copyableRequest({ method, url, headers, body }: SentRequest): CopyableRequest {
  const value = parseJson(body);
  const elided = body.length > maxBody ? elideMedia(value) : undefined;
  const text = escapeInvisible(elided === undefined ? body : JSON.stringify(elided.value));
  return {
    method,
    url,
    headers: Object.entries(headers)
      .filter(([name]) => !ownHeaders.has(name))
      .map(([name, header]) => copyableHeader(name, header)),
    body: text,
    isStreamed: isRecord(value) && value["stream"] === true,
    elided: countElided(text),
  };
}

function copyableHeader(name: string, value: string): CopyableHeader {
  if (!value.endsWith(redactionMark)) return { name, text: value };
  const text = value.slice(0, -redactionMark.length);
  if (name === "authorization")
    return { name, text, secret: { variable: keyVariable, placeholder: keyPlaceholder } };
  const variable = name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^(?=\d)/, "_");
  return { name, text, secret: { variable, placeholder: `YOUR_${variable}` } };
}

/** The comments in the first lines of the code. */
export function copyNotes({ elided, headers }: CopyableRequest): readonly string[] {
  const variables = headers.flatMap(({ secret }) => (secret === undefined ? [] : [secret.variable]));
  return [
    ...(variables.length === 0
      ? []
      : [t("Set {0} in the environment, or replace the placeholder with your key.", variables.join(", "))]),
    ...(elided === 0
      ? []
      : [
          t(
            "Images and audio files omitted from the body: {0}. Insert them at the placeholders.",
            formatNumber(elided),
          ),
        ]),
  ];
}
