import { randomUUID } from "node:crypto";
import { get } from "node:http";
import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { LocalGateway } from "../../core/account/localGateway/localGateway.ts";
import { farewell, joinPath, proofOf } from "./windows.ts";

/** The other window may have bound its port and not yet stored the key that proves it. */
const attempts = 10;
const pauseMs = 200;
const patienceMs = 2_000;

/** The local gateway of another window, if it is what listens on the port: it proves that it knows the stored key. */
export async function joinLocalGateway(
  port: number,
  readKey: () => Promise<string | undefined>,
): Promise<LocalGateway | undefined> {
  const origin = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const challenge = randomUUID();
    const response = await request(`${origin}${joinPath}?challenge=${challenge}`);
    if (response === undefined) return undefined;
    const first = await firstText(response);
    const key = await readKey();
    if (key !== undefined && first === proofOf(key, port, challenge)) {
      return {
        inferenceBaseUrl: `${origin}/v1`,
        gatewayUrl: origin,
        ended: endOf(response),
        stop: () => Promise.resolve(void response.destroy()),
      };
    }
    response.destroy();
    await delay(pauseMs);
  }
  return undefined;
}

function request(url: string): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    const outgoing = get(url, { agent: false }, (response) => {
      outgoing.setTimeout(0);
      if (response.statusCode === 200) return resolve(response.setEncoding("utf8"));
      response.destroy();
      resolve(undefined);
    });
    outgoing.setTimeout(patienceMs, () => outgoing.destroy());
    outgoing.on("error", () => resolve(undefined));
  });
}

function firstText(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), patienceMs);
    const finish = (text: string): void => {
      clearTimeout(timer);
      resolve(text);
    };
    response.on("error", () => finish(""));
    response.once("close", () => finish(""));
    response.once("data", (chunk) => finish(String(chunk)));
  });
}

function endOf(response: IncomingMessage): Promise<"stopped" | "dead"> {
  return new Promise((resolve) => {
    let isStopped = false;
    response.on("data", (chunk) => (isStopped ||= String(chunk) === farewell));
    response.once("close", () => resolve(isStopped ? "stopped" : "dead"));
  });
}
