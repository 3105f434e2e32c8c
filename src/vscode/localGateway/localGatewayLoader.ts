import type { FindUpstreams, StartLocalGateway } from "../../core/localGateway/localGateway.ts";

/** Loads the local gateway's server at the first start. */
export const startLocalGatewayOnDemand: StartLocalGateway = async (options) => {
  const { startLocalGateway } = await import("../../localGateway/service/startLocalGateway.ts");
  return startLocalGateway(options);
};

/** Looks for model servers on this machine. */
export const findLocalUpstreams: FindUpstreams = async () => {
  const { findUpstreams } = await import("../../localGateway/inference/findUpstreams.ts");
  return findUpstreams();
};
