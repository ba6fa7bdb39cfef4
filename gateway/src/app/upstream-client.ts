/** The client for providers and issuers, and the rules for the hosts that it may call. */
import { networkInterfaces } from 'node:os';
import { DEFAULTS, type GatewaySettings } from '../config/index.ts';
import { collectorOfReads } from '../lib/read-memory.ts';
import { createHostPolicy, type HostPolicy } from '../upstream/host-guard/index.ts';
import { createUpstreamClient, type UpgradingClient, type UpstreamClient } from '../upstream/index.ts';

export const openClient = (
  { limits, ca, proxy }: GatewaySettings,
  hosts: HostPolicy,
): UpstreamClient & UpgradingClient =>
  createUpstreamClient({
    hosts,
    connectTimeoutMs: limits.connectTimeoutMs,
    connectionsPerOrigin: limits.connectionsPerOrigin,
    keepAliveMs: DEFAULTS.upstreamKeepAliveMs,
    ca,
    proxy,
    onRead: collectorOfReads(),
  });

export const hostPolicyOf = ({ listen: own, apiServer, ...settings }: GatewaySettings): HostPolicy =>
  createHostPolicy({
    trustedCustomHosts: settings.trustedCustomHosts,
    production: settings.production,
    ownAddresses: ownListeners([own.port, own.adminPort]),
    ...(apiServer === undefined ? {} : { apiServer }),
    ownNamespaces: settings.ownNamespaces,
  });

/** The addresses under which this machine reaches our own listeners; a port of 0 (tests) is not known yet. */
function ownListeners(ports: readonly number[]): { readonly address: string; readonly port: number }[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []);
  const listening = ports.filter((port) => port > 0);
  return ['127.0.0.1', ...addresses].flatMap((address) => listening.map((port) => ({ address, port })));
}
