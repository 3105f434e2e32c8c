import type { Server } from "../../../src/core/servers/server.ts";
import type { ServerSection } from "../../../src/core/servers/tree/rows.ts";

/** In each round, one percent of the servers change their status, different ones each time. */
export function createServerList(round: number, length: number): string {
  const servers = Array.from({ length }, (_, index) => ({
    id: `server-${index}`,
    name: `trainer-${index}`,
    status: index % 200 === round ? "REBOOT" : ["ACTIVE", "SHUTOFF", "BUILD", "ERROR"][index % 4],
    power_state: "RUNNING",
    environment: { id: 30, name: "default-EU-1", region: "EU-1", features: { green_status: "GREEN" } },
    image: { id: 7, name: "Ubuntu Server 22.04 LTS CUDA 12.2", status: "available" },
    flavor: { id: 58, name: "n3-H100x8", cpu: 192, ram: 1800, disk: 100, gpu: "H100-80G-SXM5", gpu_count: 8 },
    volume_attachments: [{ id: index, status: "attached", volume: { id: index, name: "data", size: 100 } }],
    security_rules: [
      { id: 1, direction: "ingress", protocol: "tcp", remote_ip_prefix: "0.0.0.0/0", status: "SUCCESS" },
    ],
    fixed_ip: `10.0.${index >> 8}.${index & 255 || 1}`,
    floating_ip: `203.0.${index >> 8}.${index & 255 || 1}`,
    labels: ["prod"],
    tags: [{ key: "team", value: "research" }],
    console_url: "https://console.example.com/?token=abc",
    created_at: "2026-06-05T10:29:11",
  }));
  return JSON.stringify({ status: true, message: "ok", count: length, instances: servers });
}

export function createSection(servers: readonly Server[]): ServerSection {
  return {
    profileName: "bench",
    isActive: true,
    isProduction: false,
    color: undefined,
    host: undefined,
    snapshot: { state: "ready", servers, isRefreshing: false, listedAt: 0, failures: 0 },
    marks: new Map(),
    nextTryAt: undefined,
  };
}
