import type { Profile } from "../../src/core/account/profile.ts";

/** A profile with nothing set that has a default; tests add its URL, and what they are about. */
export const gatewayProfile: Profile = {
  name: "test",
  gatewayCredential: "accessKey",
  sessionTokenCarrier: "header",
  stsTokenCarrier: "header",
  signature: { encoding: "hex", emptyValues: "omit" },
  serverListQuery: {},
  headers: {},
  allowInsecureHttp: false,
};
