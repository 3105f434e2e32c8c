import type { Locator } from "playwright-core";

/** The page's global names, which aren't defined in Node code. */
interface PageTransfer {
  readonly items: { add(file: File): void };
  setData(type: string, text: string): void;
}
interface PageTarget {
  dispatchEvent(event: object): boolean;
}
declare const DataTransfer: new () => PageTransfer;
declare const ClipboardEvent: new (type: string, options: object) => object;
declare const DragEvent: new (type: string, options: object) => object;

/** A file for the page: its name and type, and its bytes in base64. */
export interface TestFile {
  readonly name: string;
  readonly type: string;
  readonly data: string;
}

export function testFile(name: string, type: string, bytes: Uint8Array): TestFile {
  return { name, type, data: Buffer.from(bytes).toString("base64") };
}

/** Pastes or drops these files, and these texts by type, onto the message box. */
export async function give(
  box: Locator,
  how: "paste" | "drop",
  files: readonly TestFile[],
  texts: Readonly<Record<string, string>> = {},
): Promise<void> {
  await box.evaluate(
    (target: PageTarget, wish) => {
      const data = new DataTransfer();
      for (const { name, type, data: base64 } of wish.files) {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        data.items.add(new File([bytes], name, { type }));
      }
      for (const [type, text] of Object.entries(wish.texts)) data.setData(type, text);
      const options = { bubbles: true, cancelable: true };
      target.dispatchEvent(
        wish.how === "paste"
          ? new ClipboardEvent("paste", { ...options, clipboardData: data })
          : new DragEvent("drop", { ...options, dataTransfer: data }),
      );
    },
    { how, files, texts },
  );
}
