import { registerHooks } from "node:module";

/** A message that was shown, and the buttons in it. */
export interface ShownMessage {
  readonly message: string;
  readonly detail: string | undefined;
  readonly buttons: readonly string[];
}

/** An item of a list as VS Code receives it. */
export interface ShownItem {
  readonly label: string;
}

/** Simulates, in plain Node, the parts of VS Code that the modules under test use. */
interface FakeWindow {
  readonly shown: ShownMessage[];
  /** The button to press; undefined dismisses the message. */
  press(message: ShownMessage): string | undefined;
  /** The items to pick of a list; undefined closes it. */
  pick(items: readonly ShownItem[]): readonly ShownItem[] | undefined;
}

export const fakeWindow: FakeWindow = {
  shown: [],
  press: () => undefined,
  pick: () => undefined,
};

const fake = {
  l10n: {
    t: (text: string, ...args: readonly unknown[]): string =>
      text.replace(/\{(\d+)\}/g, (_, index: string) => String(args[Number(index)])),
  },
  window: {
    showWarningMessage(
      message: string,
      { detail }: { readonly detail?: string },
      ...buttons: readonly string[]
    ): Promise<string | undefined> {
      const shown = { message, detail, buttons };
      fakeWindow.shown.push(shown);
      return Promise.resolve(fakeWindow.press(shown));
    },
    showQuickPick: (items: readonly ShownItem[]) => Promise.resolve(fakeWindow.pick(items)),
    withProgress: (_: unknown, task: () => Promise<unknown>) => task(),
    /** A notification, which the user never dismisses. */
    showErrorMessage(message: string): Promise<string | undefined> {
      fakeWindow.shown.push({ message, detail: undefined, buttons: [] });
      return new Promise(() => undefined);
    },
  },
  env: { language: "en" },
  extensions: { getExtension: () => undefined },
  ExtensionKind: { UI: 1, Workspace: 2 },
  ProgressLocation: { SourceControl: 1, Window: 10, Notification: 15 },
  commands: { executeCommand: () => Promise.resolve() },
  Uri: {
    joinPath: ({ fsPath }: { readonly fsPath: string }, ...parts: readonly string[]) => ({
      fsPath: [fsPath, ...parts].join("/"),
    }),
  },
  MarkdownString: class {
    value = "";
    appendText(text: string) {
      this.value += text;
      return this;
    }
    appendMarkdown(text: string) {
      return this.appendText(text);
    }
  },
};

/** Modules that are imported from now on get the stand-in. */
export function installFakeVscode(): void {
  const key = "fakeVscodeOfTests";
  Object.assign(globalThis, { [key]: fake });
  const names = Object.keys(fake);
  const source = `export const { ${names.join(", ")} } = globalThis.${key};`;
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "vscode" ? { url, shortCircuit: true } : next(specifier, context),
  });
}
