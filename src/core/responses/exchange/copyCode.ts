import { copyableRequest } from "./copyable.ts";
import { curlCode } from "./curlCode.ts";
import type { SentRequest } from "../../conversation/wireFacts.ts";
import { javascriptCode } from "./javascriptCode.ts";
import { pythonCode } from "./pythonCode.ts";

export type CodeLanguage = "curl" | "python" | "javascript";

/** The request as code that sends it again, with placeholders for its credentials. */
export function requestCode(request: SentRequest, language: CodeLanguage): string {
  const copyable = copyableRequest(request);
  switch (language) {
    case "curl":
      return curlCode(copyable);
    case "python":
      return pythonCode(copyable);
    case "javascript":
      return javascriptCode(copyable);
  }
}
