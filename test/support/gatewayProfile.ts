import type { Profile } from "../../src/core/account/profile.ts";

/** A profile without anything that has a default. Tests add its URL and whatever they need. */
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
