/** What the folder of the measured management API holds. */
import { createHash } from 'node:crypto';

export const WORKSPACE = 'bench';
export const API_KEYS = 1_000;
export const CONFIGS = 100;

const API = 'gatehouse.dev/v1alpha1';

export const configName = (number: number | string): string => `config-${number}`;

/** Files by their names: all keys in one, each config in one of its own. */
export function benchFiles(): ReadonlyMap<string, string> {
  const workspace = { apiVersion: API, kind: 'Workspace', metadata: { name: WORKSPACE }, spec: { namespace: WORKSPACE } };
  const keys = numbers(API_KEYS).map((number) => object('ApiKey', `key-${number}`, keySpec(number)));
  const configs = numbers(CONFIGS).map((number) => {
    const name = configName(number);
    return [`${name}.yaml`, JSON.stringify(object('GatewayConfig', name, configSpec(name)))] as const;
  });
  return new Map([
    ['workspace.yaml', JSON.stringify(workspace)],
    ['keys.yaml', keys.map((key) => JSON.stringify(key)).join('\n---\n')],
    ...configs,
  ]);
}

const object = (kind: string, name: string, spec: object): object => ({
  ...{ apiVersion: API, kind, spec },
  metadata: { name, namespace: WORKSPACE },
});

const keySpec = (number: number): object => ({
  type: 'workspace-service',
  sha256: createHash('sha256').update(`gwk_bench_${number}`).digest('hex'),
  scopes: ['completions.write'],
});

const configSpec = (name: string): object => ({
  displayName: name,
  config: { strategy: { mode: 'fallback' }, retry: { attempts: 2 }, targets: [{ provider: '@a' }, { provider: '@b' }] },
});

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);
