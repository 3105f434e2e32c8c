/** Patterns that are not checked: all of a file, or one of it, each with the reason. */
export interface PatternException {
  readonly file: string;
  /** As it stands between the slashes; without it, every pattern of the file. */
  readonly source?: string;
  readonly reason: string;
}

const rewritten = "being rewritten";

export const exceptions: readonly PatternException[] = [
  { file: "src/core/baseUrl.ts", reason: rewritten },
  { file: "src/core/code/applyCode.ts", reason: rewritten },
  { file: "src/core/code/codeAnchors.ts", reason: rewritten },
  { file: "src/core/code/codeFileName.ts", reason: rewritten },
  { file: "src/core/commands/commitMessage.ts", reason: rewritten },
  { file: "src/core/commands/promptBody.ts", reason: rewritten },
  { file: "src/core/context/contextPart.ts", reason: rewritten },
  { file: "src/core/context/trigger.ts", reason: rewritten },
  { file: "src/core/credentials/parseExpiry.ts", reason: rewritten },
  { file: "src/core/history/exportFileName.ts", reason: rewritten },
  { file: "src/core/import/clineTask.ts", reason: rewritten },
  { file: "src/core/profiles/parseVariables.ts", reason: rewritten },
  { file: "src/core/secretInput.ts", reason: rewritten },
  { file: "src/core/servers/connect/sshHost.ts", reason: rewritten },
  { file: "src/core/signedRequest/responseDocument.ts", reason: rewritten },
  { file: "src/core/titles/parseTitle.ts", reason: rewritten },
  { file: "src/gateway/exposedRequest.ts", reason: rewritten },
  { file: "src/gateway/gatewayUrl.ts", reason: rewritten },
  { file: "src/gateway/inferenceUrl.ts", reason: rewritten },
  { file: "src/localGateway/inference/service.ts", reason: rewritten },
  { file: "src/localGateway/inference/upstream.ts", reason: rewritten },
  { file: "src/localGateway/schema/patternText.ts", reason: rewritten },
  { file: "src/vscode/chat/context/git.ts", reason: rewritten },
  { file: "src/vscode/servers/connect/askEndpoint.ts", reason: rewritten },
  { file: "src/webview/markdown/links.ts", reason: rewritten },
  { file: "src/webview/math/mathMarkup.ts", reason: rewritten },
];
