/** On a sidecar, the way to the fleet. */
import { DEFAULTS, type GatewaySettings } from '../config/index.ts';
import { createFleetLink } from '../fleet/index.ts';
import type { PipelinePorts } from '../pipeline/index.ts';

export interface OpenFleetPort {
  readonly port: PipelinePorts['fleet'];
  close(): Promise<void>;
}

export function openFleetPort({ sidecarProfile, fleetTokenFile, limits }: GatewaySettings): OpenFleetPort {
  if (sidecarProfile === undefined) return { port: undefined, close: async () => {} };
  const { connectTimeoutMs, connectionsPerOrigin } = limits;
  const link = createFleetLink({
    tokenFile: fleetTokenFile,
    limits,
    ...{ connectTimeoutMs, connectionsPerOrigin, keepAliveMs: DEFAULTS.upstreamKeepAliveMs },
  });
  return { port: { link, profile: sidecarProfile }, close: () => link.close() };
}
