import { KINDS } from '@gatehouse/crds/kinds';
import { describe, expect, test } from 'vitest';
import { type ConfigurationOptions, injectionConfiguration, validatingConfiguration } from './configurations.ts';

const OPTIONS: ConfigurationOptions = {
  reach: { service: { namespace: 'gatehouse-system', name: 'gatehouse-operator', port: 9443 } },
  trust: { caPem: 'PEM' },
  ownUser: 'system:serviceaccount:gatehouse-system:gatehouse-operator',
};
interface Webhook {
  readonly failurePolicy: string;
  readonly rules: readonly { readonly apiGroups: readonly string[]; readonly resources: readonly string[] }[];
  readonly clientConfig: Readonly<Record<string, unknown>>;
  readonly timeoutSeconds: number;
}
const webhooksOf = (make: typeof validatingConfiguration, over: Partial<ConfigurationOptions> = {}) =>
  make({ ...OPTIONS, ...over }).webhooks as readonly Webhook[]; // as this file makes them

describe('the configurations', () => {
  test('cover all Kinds of the group, and of others only new pods', () => {
    const [validating] = webhooksOf(validatingConfiguration);
    expect(validating?.rules).toMatchObject([{ apiGroups: ['gatehouse.dev'] }]);
    expect(validating?.rules[0]?.resources).toEqual(
      Object.values(KINDS)
        .map(({ plural }) => plural)
        .sort(),
    );
    for (const webhook of webhooksOf(injectionConfiguration)) {
      expect(webhook.rules).toMatchObject([{ apiGroups: [''], resources: ['pods'], operations: ['CREATE'] }]);
      expect(webhook).toMatchObject({ namespaceSelector: { matchLabels: { 'gatehouse.dev/injection': 'enabled' } } });
    }
  });

  test.for([
    { rule: 'wait for an answer only where a pod asked for a sidecar', over: {}, want: ['Ignore', 'Fail', 'Ignore'] },
    {
      rule: 'can let such pods go',
      over: { injectionFailurePolicy: 'Ignore' as const },
      want: ['Ignore', 'Ignore', 'Ignore'],
    },
    {
      rule: 'can refuse writes of Gatehouse resources',
      over: { validationFailurePolicy: 'Fail' as const },
      want: ['Fail', 'Fail', 'Ignore'],
    },
  ])('$rule', ({ over, want }) => {
    const all = [...webhooksOf(validatingConfiguration, over), ...webhooksOf(injectionConfiguration, over)];
    expect(all.map(({ failurePolicy }) => failurePolicy)).toEqual(want);
    expect(all.every(({ timeoutSeconds }) => timeoutSeconds <= 5)).toBe(true);
  });

  test('wait as long as they are told', () => {
    const over = { timeoutSeconds: 20 };
    const all = [...webhooksOf(validatingConfiguration, over), ...webhooksOf(injectionConfiguration, over)];
    expect(all.map(({ timeoutSeconds }) => timeoutSeconds)).toEqual([20, 20, 20]);
  });

  test('leave the trusted authorities to cert-manager', () => {
    const certManagerCertificate = 'gatehouse-system/gatehouse-webhook';
    const made = injectionConfiguration({ ...OPTIONS, trust: { certManagerCertificate } });
    expect(made.metadata.annotations).toEqual({ 'cert-manager.io/inject-ca-from': certManagerCertificate });
    expect(JSON.stringify(made)).not.toContain('caBundle');
    expect(webhooksOf(validatingConfiguration)[0]?.clientConfig['caBundle']).toBe(
      Buffer.from('PEM').toString('base64'),
    );
  });

  test('stay within the namespaces that are watched', () => {
    const values = ['a', 'b'];
    const [webhook] = webhooksOf(validatingConfiguration, { watchNamespaces: ['b', 'a'] });
    const selector = { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values }] };
    expect(webhook).toMatchObject({ namespaceSelector: selector });
  });
});
