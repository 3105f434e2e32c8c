import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readImportSources } from "../../../src/processes/library/importSources.ts";
import { zipOf } from "../../support/zipOf.ts";

describe("readImportSources", () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "import-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const chat = (id: string): string =>
    JSON.stringify([
      {
        ...{ id, title: id, create_time: 1 },
        mapping: {
          m: {
            parent: null,
            children: [],
            message: { author: { role: "user" }, content: { content_type: "text", parts: ["hi"] } },
          },
        },
      },
    ]);

  async function idsIn(...paths: readonly string[]): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const file of readImportSources(paths))
      ids.push(...("problem" in file ? [file.problem] : file.imported.conversations.map(({ id }) => id)));
    return ids;
  }

  it("reads nothing from a file that isn't JSON, in linear time", async () => {
    const path = join(folder, "conversations.json");
    const hostile = ["[", "[{", '["\\', "{".repeat(5_000_000), "[".repeat(5_000_000), '["'.repeat(2_000_000)];
    for (const text of [...hostile, "[{}, {}", `{"lists": ${chat("a")}`, chat("a").slice(0, -1)]) {
      writeFileSync(path, text);
      assert.deepEqual(await idsIn(path), ["notJson"], text.slice(0, 40));
    }
  });

  it("reads the logs of VS Code's chat sessions, whole or with changes, as the sessions that they describe", async () => {
    const request = (id: string, text: string) => ({
      requestId: id,
      message: { text },
      response: [{ value: "a" }],
    });
    const lines = [
      { kind: 0, v: { version: 3, sessionId: "s", requests: [request("r1", "first")] } },
      { kind: 1, k: ["customTitle"], v: "Titled" },
      { kind: 2, k: ["requests"], v: [request("r2", "to be replaced"), request("r3", "gone")] },
      { kind: 2, k: ["requests"], i: 1, v: [request("r2", "second")] },
      { kind: 2, k: ["requests", 1, "response"], i: 0, v: [{ value: "edited" }, { value: " end" }] },
      { kind: 3, k: ["requests", 0, "response", 0, "unknown"] },
      { kind: 1, k: ["__proto__", "polluted"], v: true },
      { kind: 1, k: ["requests", 1_000_000], v: {} },
      { kind: 9, k: ["requests"], v: 1 },
      { kind: 1, k: ["requests", 5, "message", "text"], v: "nowhere" },
    ];
    const path = join(folder, "session.jsonl");
    writeFileSync(path, [...lines.map((line) => JSON.stringify(line)), '{"kind":1,"k":["x'].join("\n"));
    const files = [];
    for await (const file of readImportSources([path])) files.push(file);
    const [file] = files;
    assert.ok(file !== undefined && "imported" in file);
    const [conversation] = file.imported.conversations;
    assert.equal(conversation?.title, "Titled");
    assert.deepEqual(
      conversation.messages.map(({ text }) => text),
      ["first", "a", "second", "edited end"],
    );
    assert.equal(Reflect.get({}, "polluted"), undefined);
    writeFileSync(path, JSON.stringify(lines[0]));
    assert.deepEqual(await idsIn(path), ["vscode-s"]);
    writeFileSync(path, '{"kind":0,"v":{}}\n{"kind":1}');
    assert.deepEqual(await idsIn(path), ["unknown"]);
  });

  it("reads ChatGPT's export archive, in one file or several, with or without a byte order mark", async () => {
    const path = join(folder, "export.zip");
    const files = {
      "conversations.json": chat("a"),
      "chat/conversations-001.json": `\ufeff${chat("b")}`,
      "user.json": "{}",
      "conversations-bad.json": "{",
    };
    writeFileSync(path, zipOf(files));
    assert.deepEqual(await idsIn(path), ["chatgpt-a", "chatgpt-b"]);
  });

  it("reads the archives of VS Code and Claude, with the images in them", async () => {
    const png = Buffer.from("iVBORw0KGgoAAAANSUhEUg==", "base64");
    const message = { uuid: "m", sender: "human", text: "hi", files: [{ file_name: "f-1.png" }] };
    const claude = [{ uuid: "c", name: "", chat_messages: [message] }];
    const archives = {
      "chat.zip": {
        "chat.json": JSON.stringify({ requests: [{ requestId: "r", message: "hi" }] }),
        "chat.repo.json": "{}",
      },
      "claude.zip": {
        ...{ "conversations.json": JSON.stringify(claude), "users.json": "[]" },
        "files/f-1.png": png,
      },
    };
    const paths = Object.entries(archives).map(([name, files]) => {
      writeFileSync(join(folder, name), zipOf(files));
      return join(folder, name);
    });
    assert.deepEqual(await idsIn(...paths), ["vscode-r", "claude-c"]);
    for await (const file of readImportSources(paths.slice(1))) {
      assert.ok("imported" in file);
      const [message] = file.imported.conversations[0]?.messages ?? [];
      assert.deepEqual(message?.attachments, [
        { type: "image", mediaType: "image/png", data: png.toString("base64"), title: "f-1.png" },
      ]);
    }
  });

  it("attaches the text files of archives, and counts other files, and texts that are too long", async () => {
    const text = "name = value\n``` # ünï\n";
    const uploads = ["file-Text1", "file-Wide2", "file-Pdf3", "file-Long4", "file-Json5", "file-Gone6"];
    const attachments = uploads.map((id) => ({ id, name: `${id}.txt` }));
    const content = { content_type: "text", parts: ["Read"] };
    const message = { author: { role: "user" }, content, metadata: { attachments } };
    const chatGpt = [{ id: "c", mapping: { m: { parent: null, children: [], message } } }];
    const claude = [
      {
        uuid: "c",
        chat_messages: [
          {
            ...{ uuid: "m", sender: "human", text: "Read" },
            // The last two have the names of files about the account that every export contains.
            files: ["a.txt", "users.json", "projects.pdf"].map((name) => ({ file_name: name })),
          },
        ],
      },
    ];
    const pdf = Uint8Array.of(0x25, 0x50, 0x44, 0x46, 0, 0xff, 0xfe);
    const archives = {
      "chatgpt.zip": {
        ...{ "conversations.json": JSON.stringify(chatGpt), "file-Text1-a.txt": text },
        "file-Wide2-a.txt": Buffer.from(`\ufeff${text}`, "utf16le"),
        ...{ "file-Pdf3-a.txt": pdf, "file-Long4-a.txt": new Uint8Array(1_000_001).fill(97) },
        "file-Json5-a.json": '{"a": 1}',
      },
      "claude.zip": {
        ...{ "conversations.json": JSON.stringify(claude), "files/a.txt": text },
        ...{ "users.json": '[{"email_address": "me@example.com"}]', "projects.json": "[]" },
      },
    };
    const named = (title: string, attached = text) => ({ type: "text", text: attached, title });
    const expected = [
      [[named("file-Text1.txt"), named("file-Wide2.txt"), named("file-Json5.txt", '{"a": 1}')], 3],
      [[named("a.txt")], 2],
    ];
    const paths = Object.entries(archives).map(([name, files]) => {
      writeFileSync(join(folder, name), zipOf(files));
      return join(folder, name);
    });
    const found: unknown[] = [];
    for await (const file of readImportSources(paths)) {
      assert.ok("imported" in file, file.path);
      const { conversations, leftOut } = file.imported;
      found.push([conversations[0]?.messages[0]?.attachments, leftOut]);
    }
    assert.deepEqual(found, expected);
  });

  it("imports the texts of an archive in which an image is damaged", async () => {
    const path = join(folder, "claude.zip");
    const message = { uuid: "m", sender: "human", text: "hi", files: [{ file_name: "f-1.png" }] };
    const text = JSON.stringify([{ uuid: "c", chat_messages: [message] }]);
    const image = new Uint8Array(5_000).map((_, index) => index * index);
    const bytes = zipOf({ "files/f-1.png": image, "conversations.json": text });
    bytes.fill(0xff, 60, 200);
    writeFileSync(path, bytes);
    assert.deepEqual(await idsIn(path), ["claude-c"]);
  });

  it("counts content that isn't compressed by its actual size, whatever an archive claims", async () => {
    const path = join(folder, "large.zip");
    const bytes = zipOf({ "conversations.json": chat("a"), "more.json": new Uint8Array(1_000) });
    const entry = bytes.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
    bytes.writeUInt16LE(0, entry + 10);
    // The compressed size, which is the actual size of the content, and the claimed one.
    bytes.writeUInt32LE(400_000_000, entry + 20);
    bytes.writeUInt32LE(1, entry + 24);
    writeFileSync(path, bytes);
    assert.deepEqual(await idsIn(path), ["tooLarge"]);
  });

  it("stops unpacking an archive whose files have far more content than bytes, and keeps what came before", async () => {
    const path = join(folder, "bomb.zip");
    const bomb = `[${" ".repeat(200_000_000)}]`;
    const bytes = zipOf({ "conversations.json": chat("a"), "conversations-001.json": bomb });
    const records = bytes.lastIndexOf("PK\x01\x02");
    const end = bytes.indexOf("PK\x05\x06");
    // All of these are the same bytes of the archive.
    const bombs = Array.from({ length: 2_000 }, () => bytes.subarray(records, end));
    const added = Buffer.concat(bombs.slice(1));
    const ending = Buffer.from(bytes.subarray(end));
    ending.writeUInt32LE(ending.readUInt32LE(12) + added.length, 12);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, end), added, ending]));
    assert.deepEqual(await idsIn(path), ["chatgpt-a"]);
  });

  it("unpacks no more of a file than the archive claims", async () => {
    const path = join(folder, "liar.zip");
    const bytes = zipOf({ "conversations.json": chat("a"), "conversations-001.json": chat("b") });
    bytes.writeUInt32LE(chat("b").length - 1, bytes.lastIndexOf("PK\x01\x02") + 24);
    writeFileSync(path, bytes);
    assert.deepEqual(await idsIn(path), ["chatgpt-a"]);
  });

  it("reports that a selected file has an unknown format", async () => {
    const path = join(folder, "other.json");
    writeFileSync(path, "{}");
    assert.deepEqual(await idsIn(path, join(folder, "missing.json")), ["unknown", "unreadable"]);
  });

  it("reads a file that starts with a byte order mark", async () => {
    const path = join(folder, "conversations.json");
    writeFileSync(path, `\ufeff${chat("a")}`);
    assert.deepEqual(await idsIn(path), ["chatgpt-a"]);
  });
});
