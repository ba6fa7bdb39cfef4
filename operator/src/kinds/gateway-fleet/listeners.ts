import { GATEWAY_PORT, type GatewayFleet } from '@gatehouse/crds/kinds';

export interface FleetListener {
  readonly name: string;
  readonly port: number;
  readonly tlsSecretRef?: { readonly name: string } | undefined;
}

const DEFAULT_LISTENERS: readonly FleetListener[] = [{ name: 'http', port: GATEWAY_PORT }];

/** The listeners for requests. */
export const listenersOf = ({ spec }: GatewayFleet): readonly FleetListener[] => spec.listeners ?? DEFAULT_LISTENERS;

/** Base URL of the fleet inside the cluster. */
export function addressOf(fleet: GatewayFleet, service: string): string | undefined {
  const [first] = listenersOf(fleet);
  if (first === undefined) return undefined;
  const scheme = first.tlsSecretRef === undefined ? 'http' : 'https';
  return `${scheme}://${service}.${fleet.metadata.namespace}.svc:${first.port}`;
}
