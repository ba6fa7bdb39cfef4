/** Source of the Snapshot of a gateway in a cluster: the part of the environment that only the gateway program reads. */
import type { Environment } from './env.ts';

/** A server with a certificate authority and a bearer token in files that rotate. */
export interface EndpointSettings {
  readonly origin: string;
  readonly caFile: string | undefined;
  readonly tokenFile: string | undefined;
}

export type SnapshotSourceSettings =
  | {
      readonly kind: 'kubernetes';
      readonly api: EndpointSettings;
      readonly namespace: string;
      readonly fleet: string;
      readonly folder: string | undefined;
      readonly maxAgeMs: number;
    }
  | {
      readonly kind: 'sidecar';
      readonly profile: string;
      readonly folder: string;
      readonly service: EndpointSettings | undefined;
      readonly maxAgeMs: number;
    };

const HOUR_MS = 3_600_000;

/** Throws an Error that names the variable that is missing or wrong. */
export function snapshotSourceOf(env: Environment): SnapshotSourceSettings {
  const maxAgeMs = env.GATEHOUSE_SNAPSHOT_MAX_AGE_HOURS * HOUR_MS;
  switch (env.GATEHOUSE_SNAPSHOT_SOURCE) {
    case 'kubernetes':
      return {
        kind: 'kubernetes',
        api: endpoint('GATEHOUSE_API_SERVER', apiServerOf(env), {
          caFile: env.GATEHOUSE_API_CA_FILE,
          tokenFile: env.GATEHOUSE_API_TOKEN_FILE,
        }),
        namespace: required('GATEHOUSE_NAMESPACE', env.GATEHOUSE_NAMESPACE),
        fleet: required('GATEHOUSE_FLEET', env.GATEHOUSE_FLEET),
        folder: env.GATEHOUSE_SNAPSHOT_DIR,
        maxAgeMs,
      };
    case 'sidecar': {
      const url = env.GATEHOUSE_SNAPSHOT_SERVICE_URL;
      const files = { caFile: env.GATEHOUSE_SNAPSHOT_CA_FILE, tokenFile: env.GATEHOUSE_SNAPSHOT_TOKEN_FILE };
      return {
        kind: 'sidecar',
        profile: required('GATEHOUSE_SIDECAR_PROFILE', env.GATEHOUSE_SIDECAR_PROFILE),
        folder: env.GATEHOUSE_SNAPSHOT_MOUNT_DIR,
        service: url === undefined ? undefined : endpoint('GATEHOUSE_SNAPSHOT_SERVICE_URL', url, files),
        maxAgeMs,
      };
    }
    case undefined:
      throw missing('GATEHOUSE_SNAPSHOT_SOURCE');
  }
}

const missing = (name: string): Error => new Error(`Invalid environment: ${name} is missing`);

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw missing(name);
  return value;
}

function apiServerOf(env: Environment): string {
  if (env.GATEHOUSE_API_SERVER !== undefined) return env.GATEHOUSE_API_SERVER;
  const host = required('KUBERNETES_SERVICE_HOST', env.KUBERNETES_SERVICE_HOST);
  return `https://${host.includes(':') ? `[${host}]` : host}:${env.KUBERNETES_SERVICE_PORT}`;
}

/** Plain HTTP is accepted for loopback only: elsewhere the token could be read in transit. */
function endpoint(
  name: string,
  address: string,
  { caFile, tokenFile }: Pick<EndpointSettings, 'caFile' | 'tokenFile'>,
): EndpointSettings {
  const url = URL.parse(address);
  const isLoopback = url?.hostname === '127.0.0.1' || url?.hostname === '[::1]';
  if (url === null || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback))) {
    throw new Error(`Invalid environment: ${name} is no https:// address`);
  }
  return { origin: url.origin, caFile: url.protocol === 'https:' ? caFile : undefined, tokenFile };
}
