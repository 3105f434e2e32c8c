import { createServer } from "node:http";

/**
 * The server for the stream benchmarks, in a separate process so that its work isn't counted. The path contains the
 * number of events to send: `/200000/v1/chat/completions`. Prints its port. Exits when its parent closes the channel.
 */
const events = Array.from({ length: 512 }, (_, index) => eventText(` token${index}`));
const block = Buffer.from(events.join(""));

/** About 200 bytes, like those of real servers. */
function eventText(content: string): string {
  const chunk = {
    id: "chatcmpl-0123456789abcdef01234567",
    object: "chat.completion.chunk",
    created: 1_760_000_000,
    model: "organization/model-name",
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

const end = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const count = Number(request.url?.split("/")[1] ?? 0);
    response.writeHead(200, { "content-type": "text/event-stream" });
    sendEvents(
      count,
      (text) => response.write(text),
      (resume) => response.once("drain", resume),
      () => response.end(end),
    );
  });
});

function sendEvents(
  count: number,
  write: (bytes: Buffer | string) => boolean,
  whenDrained: (resume: () => void) => void,
  finish: () => void,
): void {
  let left = count;
  const step = (): void => {
    while (left >= events.length) {
      left -= events.length;
      if (!write(block)) return whenDrained(step);
    }
    if (left > 0) write(events.slice(0, left).join(""));
    finish();
  };
  step();
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) process.send?.(address.port);
});
process.on("disconnect", () => process.exit());
