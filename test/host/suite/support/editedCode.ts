import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { readRequestBody, startServer } from "../../../support/httpServer.ts";
import type { TestServer } from "../../../support/httpServer.ts";
import { activateExtension } from "./extensionContext.ts";

/** The content of the file that is edited. */
export const code = "export function one() {\n  return 1;\n}\n\nexport function two() {\n  return 2;\n}\n";

/** Runs one of our commands. */
export function run(name: string, ...values: readonly unknown[]): Thenable<unknown> {
  return vscode.commands.executeCommand(`inferenceGateway.${name}`, ...values);
}

/** A value that appears after a while. */
export async function eventually<T>(what: string, find: () => T | undefined): Promise<T> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const found = find();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail(`Waited in vain: ${what}`);
}

/** Writes a delta of the response. */
export function send(response: ServerResponse, text: string): void {
  response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`);
}

/** Completes the response. */
export function end(response: ServerResponse, reason = "stop"): void {
  response.end(
    `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: reason }] })}\n\ndata: [DONE]\n\n`,
  );
}

const configuration = (): vscode.WorkspaceConfiguration =>
  vscode.workspace.getConfiguration("inferenceGateway");

/** A file with code for each test of the surrounding suite, open in an editor, and the service that is asked about it. */
export class EditedCode {
  /** The bodies of the requests of the test. */
  readonly asked: string[] = [];
  /** Writes the response. */
  respond: (response: ServerResponse) => void = () => undefined;
  #server: TestServer | undefined;
  #folder = "";
  #document: vscode.TextDocument | undefined;

  constructor() {
    before(() => this.#start());
    after(() => this.#stop());
    beforeEach(() => this.#open());
    afterEach(() => this.#close());
  }

  /** The folder of the file, which contains nothing else. */
  get folder(): string {
    return this.#folder;
  }

  get document(): vscode.TextDocument {
    return this.#document ?? assert.fail("No test is running.");
  }

  /** Responds with this text, in pieces of five characters. */
  respondWith(text: string, reason?: string): void {
    this.respond = (response) => {
      for (const piece of text.match(/[^]{1,5}/g) ?? []) send(response, piece);
      end(response, reason);
    };
  }

  async #start(): Promise<void> {
    await activateExtension();
    this.#server = await startServer(async (request, response) => {
      if (request.method === "GET") return void response.end('{"data":[{"id":"lab/editor"}]}');
      this.asked.push(await readRequestBody(request));
      response.writeHead(200, { "content-type": "text/event-stream" });
      this.respond(response);
    });
    const profiles = [{ name: "Editor", inferenceBaseUrl: `${this.#server.url}/v1` }];
    await configuration().update("profiles", profiles, vscode.ConfigurationTarget.Global);
    await configuration().update("activeProfile", "Editor", vscode.ConfigurationTarget.Global);
    // The request for the title of a chat could otherwise arrive during a later test.
    await configuration().update("chat.generateTitles", false, vscode.ConfigurationTarget.Global);
  }

  async #stop(): Promise<void> {
    await configuration().update("profiles", undefined, vscode.ConfigurationTarget.Global);
    await configuration().update("activeProfile", undefined, vscode.ConfigurationTarget.Global);
    await configuration().update("chat.generateTitles", undefined, vscode.ConfigurationTarget.Global);
    await this.#server?.close();
  }

  async #open(): Promise<void> {
    this.asked.splice(0);
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? tmpdir();
    this.#folder = realpathSync(mkdtempSync(join(workspace, "editor-")));
    const uri = vscode.Uri.file(join(this.#folder, "code.txt"));
    writeFileSync(uri.fsPath, code);
    this.#document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(this.#document);
  }

  async #close(): Promise<void> {
    await run("stop");
    if (this.document.isDirty) await this.document.save();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
