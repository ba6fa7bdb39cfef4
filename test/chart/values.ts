/** Sets of values that tests share. */
import { isObject } from '@gatehouse/crds';
import type { Values } from './helm.ts';

/** What signing in needs. */
export const SIGN_IN = {
  issuer: 'https://id.example',
  publicUrl: 'https://public.example',
  clientId: 'gatehouse',
  clientSecretRef: { name: 'oidc', key: 'secret' },
};

/** Everything the chart can make, at once. */
export const EVERYTHING: Values = {
  organisation: { create: true },
  management: { signIn: SIGN_IN },
  redis: { persistence: { enabled: true } },
  ingress: { enabled: true },
  httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] },
  webhook: { certManager: { enabled: true } },
  networkPolicies: { egress: { enabled: true } },
  monitoring: {
    podMonitor: { enabled: true },
    serviceMonitor: { enabled: true },
    prometheusRule: { enabled: true },
    dashboard: { enabled: true },
  },
};

/** The values with one of them, e.g. `operator.image.tag`, replaced. */
export function withValue(values: Values, path: string, value: unknown): Values {
  const [head = '', ...rest] = path.split('.');
  const inner = values[head];
  return {
    ...values,
    [head]: rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest.join('.'), value),
  };
}
