/** Custom resources that tests of the operator share. */
import { API_VERSION } from '@gatehouse/crds/kinds';
import { sha256 } from './snapshot.ts';

const inNamespace = (kind: string, namespace: string, name: string, spec: object) => ({
  apiVersion: API_VERSION,
  kind,
  metadata: { name, namespace },
  spec,
});

/** An ApiKey of an application, by the hash of the key; its default is the GatewayConfig `main`. */
export const apiKeyResource = (namespace: string, name: string, key: string) =>
  inNamespace('ApiKey', namespace, name, {
    type: 'workspace-service',
    sha256: sha256(key),
    scopes: ['completions.write'],
    defaults: { configRef: { name: 'main' } },
  });

/** The Secret that `mockConfigResource` names. */
export const mockSecretResource = (namespace: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name: 'mock' },
  data: { key: Buffer.from('x').toString('base64') },
});

export interface MockConfig {
  /** URL of a mock provider. */
  readonly upstream: string;
  /** Replaces parameters of the client: `model` shows which version of the config answered. */
  readonly overrideParams: object;
  readonly name?: string;
}

/** A GatewayConfig that calls a mock provider, `main` by default. */
export const mockConfigResource = (namespace: string, { upstream, overrideParams, name = 'main' }: MockConfig) =>
  inNamespace('GatewayConfig', namespace, name, {
    config: {
      provider: 'openai',
      customHost: `${upstream}/v1`,
      secretRef: { name: 'mock', key: 'key' },
      overrideParams,
    },
  });
