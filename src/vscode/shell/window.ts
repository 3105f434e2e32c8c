import * as vscode from "vscode";
import {
  sanitizeLabel,
  escapeCodicons,
  escapeInvisible,
  inertStatus,
  inertText,
} from "../../core/kernel/foreignText.ts";
import { Listeners } from "../../core/kernel/listeners.ts";

/*
 * VS Code's messages, progress and dialogs. VS Code turns `[text](command:…)` into links, including commands, in
 * notifications, progress titles, and the prompts and validation messages of input boxes, and `$(name)` into icons in
 * many places. Names and texts from servers, files, models and pages are shown there, so everything has to go through
 * these functions. A lint rule forbids the direct calls.
 */

/** UTF-16 code units in a dialog's detail, because anything to be confirmed must be completely visible. */
const longestDetail = 20_000;
const longestButton = 120;
const longestItem = 1_000;

const dialogs = new Listeners<Promise<unknown>>();

/**
 * Calls `giveFocus` when a modal dialog closes that was opened while `hasFocus`: VS Code doesn't return the focus to the
 * page that had it, and what is typed then is lost.
 */
export function returnFocusAfterDialogs(hasFocus: () => boolean, giveFocus: () => void): vscode.Disposable {
  const remove = dialogs.add((closed) => {
    if (hasFocus()) void closed.then(giveFocus, giveFocus);
  });
  return { dispose: remove };
}

function noteDialog<T>(shown: Thenable<T>): Thenable<T> {
  dialogs.emit(Promise.resolve(shown));
  return shown;
}

type Show = (
  message: string,
  options: vscode.MessageOptions,
  ...items: string[]
) => Thenable<string | undefined>;

/** Shows the message and resolves with the button that was pressed; undefined if it was dismissed. */
type ShowMessage = (
  message: string,
  ...rest: readonly [vscode.MessageOptions, ...(readonly string[])] | readonly string[]
) => Promise<string | undefined>;

function inertMessage(show: Show): ShowMessage {
  return async (message, ...rest) => {
    const [first, ...others] = rest;
    const options = typeof first === "object" ? inertOptions(first) : {};
    const items = [...(typeof first === "string" ? [first] : []), ...others].filter(isString);
    const shown = items.map((item) => inertText(item, longestButton));
    const asked = show(inertText(message), options, ...shown);
    const picked = await (options.modal === true ? noteDialog(asked) : asked);
    return picked === undefined ? undefined : items[shown.indexOf(picked)];
  };
}

/**
 * A dialog shows its detail verbatim, so a command or URL to be confirmed isn't changed, but its invisible characters
 * are made visible.
 */
function inertOptions({ detail, ...options }: vscode.MessageOptions): vscode.MessageOptions {
  return detail === undefined
    ? options
    : { ...options, detail: escapeInvisible(detail).slice(0, longestDetail) };
}

/**
 * Whether a text is completely visible in a dialog's detail. If it isn't, the user must not be asked to agree to it.
 */
export function fitsDialog(detail: string): boolean {
  return escapeInvisible(detail).length <= longestDetail;
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

/** Reports something that the user has to decide or act on. What needs no decision is a `showConfirmation`. */
export const showInformationMessage = inertMessage((message, options, ...items) =>
  vscode.window.showInformationMessage(message, options, ...items),
);

/** Reports a problem that the user should know about, or asks before something can be lost. */
export const showWarningMessage = inertMessage((message, options, ...items) =>
  vscode.window.showWarningMessage(message, options, ...items),
);

/** Reports that what the user wanted has failed. */
export const showErrorMessage = inertMessage((message, options, ...items) =>
  vscode.window.showErrorMessage(message, options, ...items),
);

interface RiskyQuestion {
  readonly question: string;
  readonly detail: string;
  /** The label of the button that agrees. */
  readonly accept: string;
  /** The label of the button that declines; not “Cancel”. */
  readonly decline: string;
  /**
   * Whether the dialog directly follows what the user has just chosen in VS Code. It then has two buttons and, like VS
   * Code's own questions, Enter accepts. Any other dialog may appear while the user is typing, so Enter has to decline:
   * VS Code gives Enter to the first button that isn't the one for closing, and adds “Cancel” if there is none of
   * those.
   */
  readonly isExpected?: boolean;
}

/** Asks before something risky is done, in a dialog that no page can confirm; false if the user cancels. */
export async function confirmRisk(risk: RiskyQuestion): Promise<boolean> {
  const { question, detail, accept, decline, isExpected = false } = risk;
  const options = inertOptions({ modal: true, detail });
  const no = { title: inertText(decline, longestButton), isCloseAffordance: isExpected };
  const yes = { title: inertText(accept, longestButton), isCloseAffordance: false };
  const asked = vscode.window.showWarningMessage(inertText(question), options, no, yes);
  return (await noteDialog(asked)) === yes;
}

/**
 * Like `confirmRisk`, for a question with several answers; undefined if the user closes the dialog.
 * @param choices By label. Enter selects the first one.
 */
export async function askRisk<T>(
  question: string,
  detail: string,
  choices: Readonly<Record<string, T>>,
): Promise<T | undefined> {
  const items = Object.entries(choices).map(([label, value]) => ({
    title: inertText(label, longestButton),
    value,
  }));
  const options = inertOptions({ modal: true, detail });
  const asked = vscode.window.showWarningMessage(inertText(question), options, ...items);
  return (await noteDialog(asked))?.value;
}

/** Shows the text in the status bar for this many milliseconds. */
export function setStatusBarMessage(text: string, hideAfterMs: number): vscode.Disposable {
  return vscode.window.setStatusBarMessage(inertStatus(text), hideAfterMs);
}

/** Milliseconds for which a confirmation is shown. */
const confirmationMs = 8_000;

/**
 * Shows in the status bar that something is done, or that there is nothing to do. Only decisions need a notification.
 */
export function showConfirmation(sentence: string): void {
  showHint(sentence);
}

/** Like `showConfirmation`, for a sentence that may stop applying earlier: it is then disposed of. */
export function showHint(sentence: string): vscode.Disposable {
  return setStatusBarMessage(`$(info) ${sentence}`, confirmationMs);
}

type Progress = vscode.Progress<{ readonly message?: string; readonly increment?: number }>;

/** Shows progress until the task has ended. */
export async function withProgress<T>(
  options: vscode.ProgressOptions,
  task: (progress: Progress, token: vscode.CancellationToken) => Thenable<T>,
): Promise<T> {
  const { title } = options;
  const inert = title === undefined ? options : { ...options, title: inertText(title, 300) };
  return await vscode.window.withProgress(inert, (progress, token) =>
    task(
      {
        report: ({ message, ...step }) =>
          progress.report(message === undefined ? step : { ...step, message: inertText(message, 300) }),
      },
      token,
    ),
  );
}

/** Milliseconds after which work is shown. A notification for less time would only flicker. */
const lateMs = 1_000;

/** What a task that may be shown late is given. */
export interface LateProgress {
  /** Aborts when the user cancels. */
  readonly signal: AbortSignal;
  /** Shows how far the task is, as soon as the notification is there. */
  report(message: string): void;
}

/** Runs the task, and shows a notification with which it can be canceled if it takes longer than a moment. */
export async function withLateProgress<T>(
  title: string,
  task: (progress: LateProgress) => Promise<T>,
  delayMs = lateMs,
): Promise<T> {
  let shown: Progress | undefined;
  let last: string | undefined;
  const cancellation = new AbortController();
  const result = task({
    signal: cancellation.signal,
    report: (message) => {
      last = message;
      shown?.report({ message });
    },
  });
  const timer = setTimeout(() => {
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    void withProgress(options, async (progress, token) => {
      shown = progress;
      if (last !== undefined) progress.report({ message: last });
      token.onCancellationRequested(() => cancellation.abort());
      await result.catch(() => undefined);
    });
  }, delayMs);
  return await result.finally(() => clearTimeout(timer));
}

/** Asks for a line of text; undefined if the user cancels. */
export async function showInputBox({
  prompt,
  title,
  placeHolder,
  validateInput,
  ...options
}: vscode.InputBoxOptions): Promise<string | undefined> {
  const inert: vscode.InputBoxOptions = {
    ...options,
    ...(prompt === undefined ? {} : { prompt: inertText(prompt, 500) }),
    ...(title === undefined ? {} : { title: inertText(title, 200) }),
    ...(placeHolder === undefined ? {} : { placeHolder: sanitizeLabel(placeHolder, 300) }),
    ...(validateInput === undefined
      ? {}
      : { validateInput: async (value: string) => inertVerdict(await validateInput(value)) }),
  };
  return await vscode.window.showInputBox(inert);
}

type Verdict = Awaited<ReturnType<NonNullable<vscode.InputBoxOptions["validateInput"]>>>;

function inertVerdict(verdict: Verdict): Verdict {
  if (typeof verdict === "string") return inertText(verdict, 500);
  return verdict?.message === undefined ? verdict : { ...verdict, message: inertText(verdict.message, 500) };
}

/** Lets the user choose several items; undefined if the user cancels. */
export async function showQuickPick<T extends vscode.QuickPickItem>(
  items: readonly T[],
  options: vscode.QuickPickOptions & { readonly canPickMany: true },
): Promise<readonly T[] | undefined>;
/** Lets the user choose one item; undefined if the user cancels. */
export async function showQuickPick<T extends vscode.QuickPickItem>(
  items: readonly T[],
  options: vscode.QuickPickOptions,
  token?: vscode.CancellationToken,
): Promise<T | undefined>;
export async function showQuickPick<T extends vscode.QuickPickItem>(
  items: readonly T[],
  { title, placeHolder, ...options }: vscode.QuickPickOptions,
  token?: vscode.CancellationToken,
): Promise<T | readonly T[] | undefined> {
  const shown = items.map(inertItem);
  const safe = {
    ...options,
    ...(title === undefined ? {} : { title: sanitizeLabel(title, 200) }),
    ...(placeHolder === undefined ? {} : { placeHolder: sanitizeLabel(placeHolder, 300) }),
  };
  const picked: T | readonly T[] | undefined = await vscode.window.showQuickPick<T>(shown, safe, token);
  const original = (item: T): T => items[shown.indexOf(item)] ?? item;
  if (picked === undefined) return undefined;
  return isList(picked) ? picked.map(original) : original(picked);
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

const leadingIcon = /^\$\([a-z-]{1,40}\) /;

/**
 * The row of a quick pick without icons, invisible characters or overly long texts, except for an icon at its start. If
 * the start of a label comes from elsewhere, pass it through `escapeCodicons` first.
 */
export function inertItem<T extends vscode.QuickPickItem>(item: T): T {
  const { label, description, detail } = item;
  const icon = leadingIcon.exec(label)?.[0] ?? "";
  return {
    ...item,
    label: `${icon}${inertLine(label.slice(icon.length))}`,
    ...(description === undefined ? {} : { description: inertLine(description) }),
    ...(detail === undefined ? {} : { detail: inertLine(detail) }),
  };
}

function inertLine(text: string): string {
  return escapeCodicons(sanitizeLabel(text, longestItem));
}

interface ButtonsOfInput {
  readonly buttons: readonly vscode.QuickInputButton[];
  onButton(button: vscode.QuickInputButton): void;
}

/** A masked input box with buttons, which stays open when another window gets the focus; undefined if canceled. */
export function showSecretInput(
  { title, prompt }: { readonly title: string; readonly prompt: string },
  problemOf: (value: string) => string | undefined,
  { buttons, onButton }: ButtonsOfInput,
): Promise<string | undefined> {
  const input = vscode.window.createInputBox();
  input.title = inertText(title, 200);
  input.prompt = inertText(prompt, 500);
  input.password = true;
  input.ignoreFocusOut = true;
  input.buttons = buttons;
  const check = (): string | undefined => {
    const problem = problemOf(input.value);
    input.validationMessage = problem === undefined ? "" : inertText(problem, 500);
    return problem;
  };
  return new Promise((resolve) => {
    input.onDidChangeValue(check);
    input.onDidTriggerButton(onButton);
    input.onDidAccept(() => {
      if (check() !== undefined) return;
      resolve(input.value);
      input.hide();
    });
    input.onDidHide(() => {
      resolve(undefined);
      input.dispose();
    });
    input.show();
  });
}
