import assert from "node:assert/strict";
import type { SignatureOptions } from "../../../src/core/kernel/credential.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import type { Profile } from "../../../src/core/account/profile.ts";
import { findSignature, signatureVariants } from "../../../src/gateway/auth/signatureVariants.ts";
import { gatewayProfile } from "../../support/gatewayProfile.ts";

const hexOmit: SignatureOptions = { encoding: "hex", emptyValues: "omit" };
const hexKeep: SignatureOptions = { encoding: "hex", emptyValues: "keep" };
const base64Omit: SignatureOptions = { encoding: "base64", emptyValues: "omit" };
const base64Keep: SignatureOptions = { encoding: "base64", emptyValues: "keep" };

const profile: Profile = {
  ...gatewayProfile,
  gatewayUrl: "https://gpu.example",
  signature: hexOmit,
  serverListQuery: { tag: "" },
};

/** A gateway that accepts one signature format, or none, and records which were tried. */
function gatewayWanting(wanted: SignatureOptions | undefined, reason: "signature" | "timeout" = "signature") {
  const tried: SignatureOptions[] = [];
  const check = ({ signature }: Profile): Promise<void> => {
    tried.push(signature);
    const isWanted = JSON.stringify(signature) === JSON.stringify(wanted);
    const error = new ServiceError({ reason: tried.length > 1 ? reason : "signature", message: "no" });
    return isWanted ? Promise.resolve() : Promise.reject(error);
  };
  return { tried, check };
}

describe("Alternative signature formats", () => {
  it("are the other encoding and, with empty values, the other treatment of them", () => {
    const empty = [["tag", ""]] as const;
    assert.deepEqual(signatureVariants(hexOmit, empty), [hexKeep, base64Omit, base64Keep]);
    assert.deepEqual(signatureVariants(base64Keep, empty), [hexOmit, hexKeep, base64Omit]);
    assert.deepEqual(signatureVariants(hexOmit, [["a", "b"]]), [base64Omit]);
    assert.deepEqual(signatureVariants(base64Keep, []), [hexKeep]);
  });

  it("are not tried if the profile's own format is accepted", async () => {
    const { tried, check } = gatewayWanting(hexOmit);
    assert.equal(await findSignature(profile, check), undefined);
    assert.deepEqual(tried, [hexOmit]);
  });

  it("are tried until one is accepted", async () => {
    const { tried, check } = gatewayWanting(base64Omit);
    assert.deepEqual(await findSignature(profile, check), base64Omit);
    assert.deepEqual(tried, [hexOmit, hexKeep, base64Omit]);
  });

  it("lead to the original rejection if none is accepted", async () => {
    const { tried, check } = gatewayWanting(undefined);
    await assert.rejects(findSignature(profile, check), { reason: "signature" });
    assert.equal(tried.length, 4);
  });

  it("are abandoned if the request fails for another reason", async () => {
    const { tried, check } = gatewayWanting(undefined, "timeout");
    await assert.rejects(findSignature(profile, check), { reason: "timeout" });
    assert.equal(tried.length, 2);
  });
});
