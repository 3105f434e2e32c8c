import { t } from "@vscode/l10n";
import { readFileKind } from "../compose/attachments/fileKind.ts";
import { filePart } from "../compose/context/contextPart.ts";
import type { ContentPart } from "../conversation/completion.ts";
import { isRecord, parseJson, parseJsonObject } from "../kernel/json.ts";
import type { JsonObject } from "../kernel/json.ts";
import { messageOf } from "../kernel/thrown.ts";
import type { NamedFile, SourceProblem } from "./sourceNode.ts";
import { filesOf } from "./suite.ts";
import type { SuiteCase, SuiteFiles } from "./suite.ts";

/** The bytes of a file, and how they can be sent. */
export interface FileContent {
  readonly bytes: Uint8Array;
  base64(): string;
  /** Undefined if they aren't UTF-8. */
  utf8(): string | undefined;
}

/** Port: reads a file by its path relative to the suite. Rejects with a sentence if it must not or can't be read. */
export type ReadSuiteFile = (path: string) => Promise<FileContent>;

/** Maximum bytes of one file, and of all files of a run. */
const [largestFile, largestTotal] = [10_000_000, 50_000_000];

/** Throws a sentence if a file of this size isn't read at all. */
export function refuseLarge(bytes: number): void {
  if (bytes > largestFile) throw tooLarge();
}

function tooLarge(): Error {
  return new Error(t("The files of a suite can be up to 10 MB each and 50 MB in total."));
}

/** Reads what the cases name. Every file that can't be used is a problem at the place where it is named. */
export async function readSuiteFiles(
  cases: readonly SuiteCase[],
  read: ReadSuiteFile,
): Promise<{ readonly files: SuiteFiles; readonly problems: readonly SourceProblem[] }> {
  const { attachments, schemas } = filesOf(cases);
  const problems: SourceProblem[] = [];
  const parts = new Map<string, ContentPart>();
  const schemaValues = new Map<string, JsonObject | boolean>();
  let total = 0;
  const tryEach = async (
    files: readonly NamedFile[],
    use: (file: NamedFile, content: FileContent) => void,
  ): Promise<void> => {
    for (const file of files) {
      try {
        const content = await read(file.path);
        total += content.bytes.length;
        refuseLarge(content.bytes.length);
        if (total > largestTotal) throw tooLarge();
        use(file, content);
      } catch (error) {
        const reason = messageOf(error);
        problems.push({ range: file.range, message: t("{0} can't be used: {1}", file.path, reason) });
      }
    }
  };
  await tryEach(attachments, ({ path }, content) => void parts.set(path, partOf(path, content)));
  await tryEach(schemas, ({ path }, content) => void schemaValues.set(path, schemaIn(content)));
  const files: SuiteFiles = {
    part: ({ path }) => parts.get(path) ?? { type: "text", text: "" },
    schema: ({ path }) => schemaValues.get(path) ?? false,
  };
  return { files, problems };
}

function partOf(path: string, content: FileContent): ContentPart {
  const kind = readFileKind(content.bytes);
  switch (kind.kind) {
    case "image":
      return { type: "image", mediaType: kind.mediaType, data: content.base64() };
    case "recording":
      return { type: "audio", format: kind.format, data: content.base64() };
    case "other": {
      const text = kind.name === undefined ? content.utf8() : undefined;
      if (text === undefined) throw new Error(t("It is neither text nor a supported image or audio file."));
      return filePart({ path }, text);
    }
  }
}

function schemaIn(content: FileContent): JsonObject | boolean {
  const value = parseJson(content.utf8()?.replace(/^\ufeff/, ""));
  if (typeof value === "boolean") return value;
  const schema = isRecord(value) ? parseJsonObject(value) : undefined;
  if (schema === undefined) throw new Error(t("It isn't a JSON Schema."));
  return schema;
}
