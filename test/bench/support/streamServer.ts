import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { createEvents, streamShapes } from "./streamShapes.ts";
import type { StreamShape } from "./streamShapes.ts";

/**
 * The server side of the stream benchmarks, in a process of its own so that its work isn't counted. The path contains
 * the index of the shape and the number of events to send: `/0/200000/v1/chat/completions`. Prints its port. Exits when
 * its parent closes the channel.
 */
const end = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;

/** HTTP chunks that the socket sends at once. */
const chunksPerWrite = 64;

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const [, index, count] = request.url?.split("/") ?? [];
    const shape = streamShapes[Number(index)];
    if (shape === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    void send(response, createChunks(shape, Number(count)));
  });
});

const known = new Map<StreamShape, readonly Buffer[]>();

/** Bodies of HTTP chunks; the same events are sent over and over. */
function* createChunks(shape: StreamShape, count: number): Generator<Buffer> {
  const events = known.get(shape) ?? createEvents(shape, Math.ceil(1024 / (shape.weight ?? 1)));
  known.set(shape, events);
  let waiting: Buffer[] = [];
  let bytes = 0;
  for (let index = 0; index < count; index++) {
    const event = events[index % events.length] ?? Buffer.alloc(0);
    waiting.push(event);
    bytes += event.length;
    if (bytes < (shape.chunkBytes ?? 0)) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}

/** Each of the bodies becomes an HTTP chunk, but the socket sends many of them at once. */
async function send(response: ServerResponse, chunks: Iterable<Buffer>): Promise<void> {
  const { socket } = response;
  let written = 0;
  socket?.cork();
  for (const chunk of chunks) {
    response.write(chunk);
    if (++written % chunksPerWrite !== 0) continue;
    socket?.uncork();
    if (response.writableNeedDrain) await new Promise((resolve) => response.once("drain", resolve));
    socket?.cork();
  }
  socket?.uncork();
  response.end(end);
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) process.send?.(address.port);
});
process.on("disconnect", () => process.exit());
