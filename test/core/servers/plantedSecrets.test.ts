import assert from "node:assert/strict";
import { webAddresses } from "../../../src/core/servers/connect/webAddresses.ts";
import { recordFields } from "../../../src/core/servers/details/recordFields.ts";
import { serverDetails, serverRecordText } from "../../../src/core/servers/details/serverDetails.ts";
import { filterCompletions } from "../../../src/core/servers/filter/filterCompletions.ts";
import { filterValues, freeTextOf } from "../../../src/core/servers/filter/filterSubject.ts";
import { serverTags } from "../../../src/core/servers/serverTags.ts";
import { serverName } from "../../../src/core/servers/serverLabels.ts";
import { cellOf } from "../../../src/core/servers/serverProperties.ts";
import { formatServerSnapshot } from "../../../src/core/servers/snapshot/serverSnapshotText.ts";
import { tableCsv } from "../../../src/core/servers/table/tableModel.ts";
import { rowFacts } from "../../../src/core/servers/tree/rows.ts";
import type { ServerRow } from "../../../src/core/servers/tree/rows.ts";
import { rowDescription, rowSpoken } from "../../../src/core/servers/tree/rowLabels.ts";
import { isRecord } from "../../../src/core/kernel/json.ts";
import { isLeft } from "../account/secrets/fakeSecrets.ts";
import { unusualPlaces } from "./unusualPlaces.ts";
import { readServerList } from "../../support/readServerList.ts";

/** Secrets as they occur in records of real clouds. All of the values contain `planted`. */
const fields: Readonly<Record<string, unknown>> = {
  root_pass: "planted-a1",
  adminPass: "planted-a2",
  vnc_url: "https://vnc.example/?token=planted-a3",
  user_data: "planted-a4",
  ssh_private_key: ["-----BEGIN OPENSSH PRIVATE", "KEY-----\nplanted-a5\n"].join(" "),
  notes: "login: root / password: planted-a6 please",
  env: { HF_TOKEN: "planted-a7", MODEL: "llama" },
  environment: ["OPENAI_API_KEY=planted-a8", "PATH=/bin"],
  docker_args: "-e WANDB_API_KEY=planted-a9 -p 80:80",
  jupyter: { url: "http://1.2.3.4:8888/lab?token=planted-b1", password: "planted-b2" },
  db: "postgres://user:planted-b3@10.0.0.1/db",
  onstart: "export HF_TOKEN=planted-b4; run",
  metadata: [{ key: "db_password", value: "planted-b5" }],
  extra_env: [["JUPYTER_TOKEN", "planted-b6"]],
  credentials: { username: "u", secret: "planted-b7" },
  console: { auth: { user: "x", pw: "planted-b8" } },
  kubeconfig: "users:\n- user:\n    token: planted-b9",
  ipmi: { ip: "10.9.9.9", pass: "planted-c1" },
  sas: "https://x.example/c?sv=2020&sig=planted-c2&se=2027",
  tags: ["token:planted-c3", "env:prod"],
  cmd: "vllm serve --api-key planted-c4 --port 80",
  headers: { Authorization: "Bearer planted-c5" },
  url: "https://user:planted-c6@host.example/x",
  ssh: "sshpass -p planted-c7 ssh root@1.2.3.4",
  passphrase: "planted-c8",
  // A field from which a fact is read.
  name: "box password=planted-d1",
  status: "running token=planted-d2",
  region: "eu?token=planted-d3",
  gpu: "H100 api_key=planted-d4",
  hostname: "https://user:planted-d5@box.example",
};

/** Each secret in a record of its own, and all of them in one. */
const records = [
  ...Object.entries(fields).map(([name, value]) => ({ id: "i-1", ip: "1.2.3.4", [name]: value })),
  { id: "i-all", ip: "1.2.3.4", ...fields },
];

const columns = ["name", "status", "gpu", "region", "address", "id", "tag"] as const;

function everythingShown(record: unknown): string {
  const [server] = readServerList(JSON.stringify({ servers: [record] })).servers;
  assert.ok(server);
  const row: ServerRow = {
    kind: "server",
    id: "r",
    key: server.key,
    profileName: "Cloud",
    server,
    mark: undefined,
    staleSince: undefined,
  };
  const subject = { server, mark: undefined, profileName: "Cloud", isStale: false };
  const snapshot = {
    state: "ready" as const,
    servers: [server],
    isRefreshing: false,
    listedAt: 1,
    failures: 0,
  };
  const names = [
    ...Object.keys(fields),
    ...(isRecord(record) ? Object.keys(record).filter((name) => /^\w{1,30}$/.test(name)) : []),
  ];
  return [
    serverRecordText(server),
    formatServerSnapshot(snapshot) ?? "",
    serverName(row.server),
    rowDescription(row),
    rowSpoken(row),
    ...rowFacts(row),
    serverDetails(row),
    ...serverTags(server),
    ...recordFields(server.record).map(({ value }) => value),
    ...webAddresses(server).map(({ url }) => url),
    freeTextOf(subject),
    ...names.flatMap((name) => filterValues(subject, name)),
    ...names.flatMap((name) => filterCompletions(`${name}:`, [subject]).map(({ filter }) => filter)),
    tableCsv(columns, [{ cells: columns.map((column) => cellOf(subject, column)) }]),
  ].join("\n");
}

describe("Secrets planted in server records", () => {
  for (const record of records) {
    it(`are never shown, stored or copied: ${Object.keys(record).slice(2, 4).join(", ")}`, () => {
      const shown = everythingShown(record);
      assert.match(shown, /1\.2\.3\.4/);
      assert.doesNotMatch(shown, /planted/);
    });
  }
});

describe("Secrets in unusual places of records", () => {
  const places = unusualPlaces();

  it("are tested in at least 200 places", () => assert.ok(places.length >= 200, String(places.length)));

  for (const { what, record, secrets } of places) {
    it(`are never shown: ${what}`, () => {
      const shown = everythingShown({ id: "i-1", ip: "1.2.3.4", tokenizer: "sentencepiece", ...record });
      assert.match(shown, /1\.2\.3\.4/);
      assert.match(shown, /sentencepiece/);
      const left = secrets.filter((secret) => isLeft(shown, secret));
      assert.deepEqual(left, [], JSON.stringify(record));
    });
  }
});
