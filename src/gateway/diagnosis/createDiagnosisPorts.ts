import { lookup } from "node:dns/promises";
import type { ReadCertificates } from "../http/certificates.ts";
import { Certificates } from "../http/certificates.ts";
import type { DiagnosisPorts } from "./target.ts";

/** Maximum idle time of a step, in milliseconds, because a person is waiting for the report. */
const stepMs = 15_000;

type DiagnosisSources = Pick<
  DiagnosisPorts,
  "transport" | "clockOffsets" | "network" | "readSecret" | "lastModel" | "userAgent"
> & { readonly readCertificates?: ReadCertificates };

/** The ports of a diagnosis on this machine: the system's own resolver, clock and certificates. */
export function createDiagnosisPorts(sources: DiagnosisSources): DiagnosisPorts {
  const { readCertificates, ...ports } = sources;
  return {
    ...ports,
    network: () => sources.network(),
    certificates: new Certificates(readCertificates),
    async resolve(host) {
      const found = await lookup(host, { all: true });
      return found.map(({ address }) => address);
    },
    now: () => Date.now(),
    stepMs,
  };
}
