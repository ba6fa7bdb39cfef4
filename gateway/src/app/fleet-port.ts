/** On a sidecar, the way to the fleet. */
import { DEFAULTS, type GatewaySettings } from '../config/index.ts';
import { createFleetLink } from '../fleet/index.ts';
import { createFleetCounters, type FleetCounters } from '../fleet-counters/index.ts';
import type { PipelinePorts } from '../pipeline/index.ts';
import type { SnapshotHolder } from '../snapshot/index.ts';

export interface OpenFleetPort {
  readonly port: PipelinePorts['fleet'];
  /** Limits and budgets that the fleet counts. */
  readonly counters: FleetCounters | undefined;
  close(): Promise<void>;
}

export function openFleetPort(
  { sidecarProfile, fleetTokenFile, limits, sharedLimits }: GatewaySettings,
  snapshots: Pick<SnapshotHolder, 'current'>,
): OpenFleetPort {
  if (sidecarProfile === undefined) return { port: undefined, counters: undefined, close: async () => {} };
  const { connectTimeoutMs, connectionsPerOrigin } = limits;
  const link = createFleetLink({
    tokenFile: fleetTokenFile,
    limits,
    ...{ connectTimeoutMs, connectionsPerOrigin, keepAliveMs: DEFAULTS.upstreamKeepAliveMs },
  });
  const counters = createFleetCounters({
    link,
    address: () => snapshots.current?.sidecar(sidecarProfile)?.fleet,
    timeoutMs: sharedLimits.fleetTimeoutMs,
  });
  return { port: { link, profile: sidecarProfile }, counters, close: () => link.close() };
}
