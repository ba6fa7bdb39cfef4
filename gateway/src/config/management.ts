import type { Environment } from './env.ts';

/** Where the management API is served. */
export interface ManagementSettings {
  readonly url: URL;
  /** PEM */
  readonly ca: string | undefined;
}

/** Undefined for a gateway without management API, as every sidecar is. Throws an Error that names the variable that is wrong. */
export function managementOf(env: Environment): ManagementSettings | undefined {
  const { GATEHOUSE_MANAGEMENT_URL: address, GATEHOUSE_MANAGEMENT_CA: ca, GATEHOUSE_SNAPSHOT_SOURCE: source } = env;
  if (address === undefined || source === 'sidecar') return undefined;
  const url = URL.parse(address);
  if (url?.protocol !== 'https:')
    throw new Error('Invalid environment: GATEHOUSE_MANAGEMENT_URL is no https:// address');
  return { url, ca };
}
