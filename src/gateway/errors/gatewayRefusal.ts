import type { ErrorFacts } from "../../core/kernel/errors.ts";
import { PhraseTable, readWords } from "./phrases.ts";

/** What a gateway may refuse in a signed request. */
type Refused = "nonce" | "clock" | "token" | "signature";

interface RefusalWords {
  /** Parts of codes in lower case without separators. */
  readonly codes: string;
  readonly words: PhraseTable;
}

const refusals: Readonly<Record<Refused, RefusalWords>> = {
  nonce: {
    codes: "nonceused duplicatenonce nonceduplicate noncereplay invalidnonce replay",
    words: new PhraseTable(`
      Alibaba Cloud: nonce … used|duplicate|reused|repeated|replayed|already|exists
      others: duplicate|reused|repeated nonce; replay attack|detected; request replayed
    `),
  },
  clock: {
    codes:
      "tooskewed requestexpired signatureexpire invalidtimestamp timestampexpired expiredtimestamp illegaltimestamp requestinthefuture clockskew",
    words: new PhraseTable(`
      AWS, Oracle: difference between request time; request time … skewed|large|old; signature expired; signature not yet; clock skew|drift
      Alibaba Cloud, Tencent Cloud, Huawei Cloud: timestamp … expired|invalid|old|early|late|future|stale|range; request has|is expired; date … skewed|old|future; expired timestamp|request
    `),
  },
  token: {
    codes: "expiredtoken tokenexpired tokenfailure securitytoken invalidtoken unrecognizedclient",
    words: new PhraseTable(`
      AWS, Alibaba Cloud, Tencent Cloud: security|session|sts token … expired|invalid|malformed|incorrect; token has|is expired; token expired
    `),
  },
  signature: {
    codes:
      "signaturedoesnotmatch signaturemismatch signatureinvalid invalidsignature signatureerror signaturefailure " +
      "incompletesignature accesskeynotfound accesskeyidnotfound invalidaccesskey invalidclienttoken secretidnotfound",
    words: new PhraseTable(`
      AWS, Alibaba Cloud: signature … not match|mismatch|invalid|incorrect|wrong; invalid|wrong|incorrect signature; signature verification failed
      Tencent Cloud, Huawei Cloud: access key … not exist|found; unknown|invalid access key; secret id … not exist|found
    `),
  },
};
/** What is more specific comes first. */
const order: readonly Refused[] = ["nonce", "clock", "token", "signature"];

/** What the gateway's code or else its words say that it refuses; undefined if they are about something else. */
export function refusedPart(codes: readonly string[], message: string): Refused | undefined {
  const plain = codes.map((code) => code.toLowerCase().replace(/[^a-z]/g, ""));
  const words = readWords(message);
  const isIn = (codeParts: string): boolean =>
    codeParts.split(" ").some((known) => plain.some((code) => code.includes(known)));
  return (
    order.find((part) => isIn(refusals[part].codes)) ?? order.find((part) => refusals[part].words.isIn(words))
  );
}

/** Whether a refused signature is about its nonce or its time. */
export function refusedTime({
  code = "",
  serverMessage = "",
}: Pick<ErrorFacts, "code" | "serverMessage">): "nonce" | "clock" | undefined {
  const part = code.startsWith("ERR_") ? undefined : refusedPart([code], serverMessage);
  return part === "nonce" || part === "clock" ? part : undefined;
}
