import { originOf } from "../kernel/httpAddress.ts";
import type { Profile } from "./profile.ts";

/** Where the profile sends to, in one line: `https://inference.example.com · https://gateway.example.com`. */
export function describeProfile({ inferenceBaseUrl, gatewayUrl }: Profile): string {
  const origins = [originOf(inferenceBaseUrl), originOf(gatewayUrl)];
  return [...new Set(origins.filter((origin) => origin !== undefined))].join(" · ");
}

/** The codicon that stands for the profile. */
export function profileIconName({ production }: Profile): "flame" | "account" {
  return production === true ? "flame" : "account";
}
