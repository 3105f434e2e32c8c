import { crc32, deflateSync } from "node:zlib";
import type { Page } from "playwright-core";

/** The pixels of an image, four bytes each. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Buffer;
}

/** A step of an animation. */
export interface Frame {
  readonly png: Buffer;
  readonly milliseconds: number;
}

/** The images as one animation with at most 255 colors, in the format that is an ordinary PNG for other viewers. */
export async function encodePng(page: Page, frames: readonly Frame[]): Promise<Buffer> {
  const images: Pixels[] = [];
  for (const { png } of frames) images.push(await decode(page, png));
  const [first] = images;
  if (first === undefined) throw new Error("An animation needs an image.");
  const colors = chooseColors(images);
  const palette = Buffer.alloc(colors.length * 3);
  for (const [at, color] of colors.entries()) palette.writeUIntBE(color, at * 3, 3);
  const head = numbers(first.width, first.height);
  const parts = [chunk("IHDR", Buffer.concat([head, Buffer.from([8, 3, 0, 0, 0])]))];
  if (frames.length > 1) parts.push(chunk("acTL", numbers(frames.length, 0)));
  parts.push(chunk("PLTE", palette));
  const near = new Map<number, number>();
  let sequence = 0;
  let before: Buffer | undefined;
  for (const [at, image] of images.entries()) {
    const indexes = indexesOf(image, colors, near);
    const area = changedArea(before, indexes, image);
    before = indexes;
    if (frames.length > 1)
      parts.push(chunk("fcTL", control(sequence++, area, frames[at]?.milliseconds ?? 0)));
    const data = deflateSync(rowsOf(indexes, image.width, area), { level: 9 });
    parts.push(at === 0 ? chunk("IDAT", data) : chunk("fdAT", Buffer.concat([numbers(sequence++), data])));
  }
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    ...parts,
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

async function decode(page: Page, png: Buffer): Promise<Pixels> {
  // As text: these are the page's names, which code for Node doesn't know.
  const script = `(async () => {
    const bytes = Uint8Array.from(atob("${png.toString("base64")}"), (each) => each.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let text = "";
    for (let at = 0; at < data.length; at += 32768) text += String.fromCharCode(...data.subarray(at, at + 32768));
    return image.width + " " + image.height + " " + btoa(text);
  })()`;
  const [width, height, data = ""] = String(await page.evaluate(script)).split(" ");
  return { width: Number(width), height: Number(height), data: Buffer.from(data, "base64") };
}

/** The most frequent colors that differ visibly, then the most frequent of the rest. */
function chooseColors(images: readonly Pixels[]): readonly number[] {
  const counts = new Map<number, number>();
  for (const { data } of images)
    for (let at = 0; at < data.length; at += 4) {
      const color = data.readUIntBE(at, 3);
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a).map(([color]) => color);
  const chosen: number[] = [];
  for (const least of [300, 0])
    for (const color of sorted.slice(0, 5_000))
      if (chosen.length < 255 && chosen.every((each) => distance(each, color) > least)) chosen.push(color);
  return chosen;
}

function distance(a: number, b: number): number {
  const parts = [16, 8, 0].map((shift) => ((a >> shift) & 255) - ((b >> shift) & 255));
  return parts.reduce((sum, part) => sum + part * part, 0);
}

function indexesOf({ data }: Pixels, colors: readonly number[], near: Map<number, number>): Buffer {
  const indexes = Buffer.alloc(data.length / 4);
  for (let at = 0; at < indexes.length; at++) {
    const color = data.readUIntBE(at * 4, 3);
    let index = near.get(color);
    if (index === undefined) {
      index = colors.reduce(
        (best, each, other) => (distance(each, color) < distance(colors[best] ?? 0, color) ? other : best),
        0,
      );
      near.set(color, index);
    }
    indexes[at] = index;
  }
  return indexes;
}

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What has to be painted again; a single pixel if nothing has. */
function changedArea(before: Buffer | undefined, now: Buffer, { width, height }: Pixels): Area {
  if (before === undefined) return { x: 0, y: 0, width, height };
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let at = 0; at < now.length; at++) {
    if (now[at] === before[at]) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, top, right, bottom] = [
      Math.min(left, x),
      Math.min(top, y),
      Math.max(right, x),
      Math.max(bottom, y),
    ];
  }
  return left > right
    ? { x: 0, y: 0, width: 1, height: 1 }
    : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

function rowsOf(indexes: Buffer, width: number, area: Area): Buffer {
  const rows = Array.from({ length: area.height }, (_, row) => {
    const start = (area.y + row) * width + area.x;
    return Buffer.concat([Buffer.from([0]), indexes.subarray(start, start + area.width)]);
  });
  return Buffer.concat(rows);
}

function control(sequence: number, { x, y, width, height }: Area, milliseconds: number): Buffer {
  const delay = Buffer.alloc(6);
  delay.writeUInt16BE(milliseconds, 0);
  delay.writeUInt16BE(1_000, 2);
  return Buffer.concat([numbers(sequence, width, height, x, y), delay]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4);
  return bytes;
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  return Buffer.concat([numbers(data.length), body, numbers(crc32(body))]);
}
