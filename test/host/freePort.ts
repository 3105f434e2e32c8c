import { createServer } from "node:net";

/** A free loopback port: `wanted` if that is free, otherwise any. */
export async function freePort(wanted = 0): Promise<number> {
  const port = await tryPort(wanted);
  return (
    port ?? (await tryPort(0)) ?? Promise.reject(new Error("This machine has no free port on loopback."))
  );
}

/** Undefined if another process is listening there. */
function tryPort(wanted: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(wanted, "127.0.0.1", () => {
      const address = server.address();
      const port = address !== null && typeof address === "object" ? address.port : undefined;
      server.close(() => resolve(port));
    });
  });
}
