import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { win32 } from "node:path";

/** Where Windows has its own tools. A tool with the same name elsewhere must not be used. */
function windowsTool(name: string): string {
  return win32.join(process.env["SystemRoot"] ?? String.raw`C:\Windows`, "System32", name);
}

/**
 * Ends a program at once, and everything that it started.
 * @param hasGroup Whether it is the leader of a process group, as with `detached`. Windows knows its children anyway.
 */
export function killProgram(child: ChildProcess, hasGroup: boolean, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === "win32") {
    // Another program may have its ID by now.
    if (child.exitCode !== null) return;
    const options = { stdio: "ignore", windowsHide: true } as const;
    const tool = spawn(windowsTool("taskkill.exe"), ["/pid", String(pid), "/t", "/f"], options);
    tool.on("error", () => child.kill());
    tool.on("exit", (code) => code !== 0 && child.kill());
    return;
  }
  try {
    if (hasGroup) process.kill(-pid, signal);
    else child.kill(signal);
  } catch {
    // It has ended already.
  }
}

/**
 * The text that a program printed: in UTF-8, in UTF-16 as PowerShell and some tools of Windows do, or otherwise in the
 * code page of the console.
 */
export async function decodeOutput(bytes: Buffer, codePage = readCodePage): Promise<string> {
  if (isUtf16(bytes)) return new TextDecoder("utf-16le").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return decodePage(bytes, await codePage());
  }
}

/** Whether it begins with UTF-16's mark, or most of its letters have another half that is zero. */
function isUtf16(bytes: Buffer): boolean {
  if (bytes.length < 2) return false;
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return true;
  const start = bytes.subarray(0, 200);
  const zeros = (half: number): number => start.filter((byte, at) => at % 2 === half && byte === 0).length;
  return zeros(0) === 0 && zeros(1) > start.length / 4;
}

/** The number of the console's code page, which depends on the language of Windows; 0 if it can't be found out. */
function readCodePage(): Promise<number> {
  if (process.platform !== "win32") return Promise.resolve(0);
  return new Promise((resolve) => {
    execFile(windowsTool("chcp.com"), { windowsHide: true, timeout: 2_000 }, (_error, output) =>
      resolve(Number(/\d{3,5}/.exec(output)?.[0] ?? 0)),
    );
  });
}

/** The upper halves of the code pages for which there is no decoder. */
const upperHalves: Readonly<Record<number, string>> = {
  437: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  850: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
  852: "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0",
};
const encodings: Readonly<Record<number, string>> = {
  866: "ibm866",
  874: "windows-874",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
};

function decodePage(bytes: Buffer, page: number): string {
  const upper = upperHalves[page];
  if (upper !== undefined)
    return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : upper[byte - 128])).join("");
  const windows = page >= 1250 && page <= 1258 ? `windows-${page}` : "utf-8";
  return new TextDecoder(encodings[page] ?? windows).decode(bytes);
}
