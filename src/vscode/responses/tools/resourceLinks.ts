import * as vscode from "vscode";
import { decodeUtf8 } from "../../../core/kernel/base64.ts";
import { isRecord, parseJson, stringField } from "../../../core/kernel/json.ts";
import { isDataPart } from "../../../core/responses/tools/toolResultContent.ts";

/** VS Code passes an embedded resource of an MCP result as a link, which extensions read through its file systems. */
const linkType = "application/vnd.code.resource-link";

/** The parts of a tool's result with the content of the resources that it links to, or their address and type. */
export function readResourceLinks(content: readonly unknown[]): Promise<readonly unknown[]> {
  return Promise.all(
    content.map(async (part) => {
      const link =
        isDataPart(part) && part.mimeType === linkType ? parseJson(decodeUtf8(part.data)) : undefined;
      const uri = isRecord(link) ? readUri(link["uri"]) : undefined;
      if (!isRecord(link) || uri === undefined) return part;
      const mimeType = stringField(link, "underlyingMimeType") ?? "text/plain";
      try {
        return { data: await vscode.workspace.fs.readFile(uri), mimeType };
      } catch {
        return { value: `(The result links to ${uri.toString(true)}, ${mimeType}, which can't be read.)` };
      }
    }),
  );
}

function readUri(value: unknown): vscode.Uri | undefined {
  if (typeof value === "string") return vscode.Uri.parse(value);
  const scheme = isRecord(value) ? stringField(value, "scheme") : undefined;
  if (!isRecord(value) || scheme === undefined) return undefined;
  const field = (name: string): string => stringField(value, name) ?? "";
  const [authority, path] = [field("authority"), field("path")];
  return vscode.Uri.from({ scheme, authority, path, query: field("query"), fragment: field("fragment") });
}
