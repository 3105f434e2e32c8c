import type { Page } from "playwright-core";
import { testFile } from "../../support/giveFiles.ts";
import type { TestFile } from "../../support/giveFiles.ts";

/** An image drawn by the browser: the left half is red, the right half blue. */
export async function drawImage(page: Page, name: string, width: number, height: number): Promise<TestFile> {
  const type = `image/${name.split(".").at(-1)?.replace("jpg", "jpeg") ?? ""}`;
  const data = await page.evaluate(
    async (wish) => {
      const canvas = new OffscreenCanvas(wish.width, wish.height);
      const context = canvas.getContext("2d");
      if (context === null) throw new Error("No canvas.");
      for (const [side, color] of ["#c00000", "#0000c0"].entries()) {
        context.fillStyle = color;
        context.fillRect((side * wish.width) / 2, 0, wish.width / 2, wish.height);
      }
      const blob = await canvas.convertToBlob({ type: wish.type, quality: 0.95 });
      const bytes = new Uint8Array(await blob.arrayBuffer());
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    },
    { width, height, type },
  );
  return { name, type, data };
}

/** The image as written by a camera that was held sideways: its top is on the right, and it contains its location. */
export function heldSideways(jpeg: TestFile): TestFile {
  const bytes = Buffer.from(jpeg.data, "base64");
  const orientation = Buffer.from("4d4d002a00000008000101120003000000010006000000000000", "hex");
  const content = Buffer.concat([
    Buffer.from("Exif\0\0", "latin1"),
    orientation,
    Buffer.from("SECRET PLACE"),
  ]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return testFile(
    jpeg.name,
    jpeg.type,
    Buffer.concat([bytes.subarray(0, 2), head, content, bytes.subarray(2)]),
  );
}
