import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { FLAG_NAMES, type OperatorOptions, parseOptions, usage } from './index.ts';

const read = (args: readonly string[], variables: Record<string, string> = {}): OperatorOptions => {
  const options = unwrap(parseOptions(args, variables));
  if (options === 'help') throw new Error('expected options');
  return options;
};

describe('options', () => {
  test('have a default each', () => {
    expect(read([])).toMatchObject({
      organisationNamespace: 'gatehouse-system',
      namespaces: 'all',
      fleetNamespaces: new Set(['gatehouse-system', 'gatehouse-gateways']),
      crossNamespaceRefs: true,
      webhooks: true,
      healthPort: 8081,
      leaseSeconds: 5,
      maxStatusWrites: 16,
      webhookTimeoutSeconds: 5,
      operatorCidrs: [],
      kubeconfig: undefined,
      allowedHosts: [],
      validationFailurePolicy: 'Ignore',
      injectionFailurePolicy: 'Fail',
    });
  });

  test.for([
    {
      rule: 'targets of saved configs are capped by the variables of gateways',
      args: ['--max-nested-config-targets=7'],
      variables: { MAX_ROOT_CONFIG_TARGETS: '500' },
      want: { caps: { rootTargets: 500, conditionalRootTargets: 1_000, nestedTargets: 7 } },
    },
    {
      rule: 'a flag goes before its variable',
      args: ['--organisation-namespace', 'a'],
      variables: { GATEHOUSE_NAMESPACE: 'b' },
      want: { organisationNamespace: 'a' },
    },
    {
      rule: 'a variable goes before the default',
      args: [],
      variables: { GATEHOUSE_NAMESPACE: 'b' },
      want: { organisationNamespace: 'b' },
    },
    {
      rule: 'an empty variable is none',
      args: [],
      variables: { GATEHOUSE_WATCH_NAMESPACES: '' },
      want: { namespaces: 'all' },
    },
    {
      rule: 'named namespaces include those of the organisation',
      args: ['--watch-namespaces=x, y', '--fleet-namespaces=f', '--organisation-namespace=o'],
      variables: {},
      want: { namespaces: new Set(['o', 'f', 'x', 'y']), fleetNamespaces: new Set(['o', 'f']) },
    },
    {
      rule: 'name and UID of the pod come from variables',
      args: [],
      variables: { GATEHOUSE_POD_NAME: 'operator-1', GATEHOUSE_POD_UID: 'u' },
      want: { podName: 'operator-1', podUid: 'u' },
    },
    {
      rule: 'a switch may come from a variable',
      args: ['--no-webhooks'],
      variables: { GATEHOUSE_NO_CROSS_NAMESPACE_REFS: 'true' },
      want: { webhooks: false, crossNamespaceRefs: false },
    },
    {
      rule: 'the duration of the lease comes from a variable',
      args: [],
      variables: { GATEHOUSE_LEASE_SECONDS: '15' },
      want: { leaseSeconds: 15 },
    },
    {
      rule: 'the patience of the API server comes from a variable',
      args: [],
      variables: { GATEHOUSE_WEBHOOK_TIMEOUT_SECONDS: '30' },
      want: { webhookTimeoutSeconds: 30 },
    },
    {
      rule: 'address ranges are of both families',
      args: ['--operator-cidrs=10.0.0.0/16, fd00::/8'],
      variables: {},
      want: { operatorCidrs: ['10.0.0.0/16', 'fd00::/8'] },
    },
    {
      rule: 'hosts are written as for gateways',
      args: [],
      variables: { GATEHOUSE_ALLOWED_CUSTOM_HOSTS: '*.Example.com, https://vllm.models:8000/v1,10.0.0.1,[::1]:80' },
      want: { allowedHosts: ['example.com', 'vllm.models', '10.0.0.1', '[::1]'] },
    },
  ])('$rule', ({ args, variables, want }) => {
    expect(read(args, variables)).toMatchObject(want);
  });

  test.for([
    { rule: 'an unknown flag', args: ['--nope'], count: 1 },
    { rule: 'a positional argument', args: ['nope'], count: 1 },
    { rule: 'a port that is none', args: ['--health-port=99999'], count: 1 },
    { rule: 'a lease too short to be renewed', args: ['--lease-seconds=2'], count: 1 },
    { rule: 'a lease of no whole seconds', args: ['--lease-seconds=5.5'], count: 1 },
    { rule: 'more status writes than connections', args: ['--max-status-writes=17'], count: 1 },
    { rule: 'no status writes', args: ['--max-status-writes=0'], count: 1 },
    { rule: 'a webhook that is waited for without end', args: ['--webhook-timeout-seconds=31'], count: 1 },
    { rule: 'an address range of more bits than there are', args: ['--operator-cidrs=10.0.0.0/33'], count: 1 },
    { rule: 'an address without a range', args: ['--operator-cidrs=10.0.0.1'], count: 1 },
    { rule: 'a host that is none', args: ['--allowed-custom-hosts=*.*.com'], count: 1 },
    { rule: 'a policy that is none', args: ['--validation-failure-policy=Maybe'], count: 1 },
    { rule: 'all that is wrong', args: ['--health-port=x', '--log-level=loud', '--watch-namespaces=A'], count: 3 },
  ])('refuse $rule', ({ args, count }) => {
    const read = parseOptions(args, {});
    expect(read.ok ? [] : read.error).toHaveLength(count);
  });

  test.for(['very-secret', 'ftp://sts', 'https://ada:very-secret@sts', 'https://sts/?key=very-secret'])(
    'refuse the token service %s by the name of its variable',
    (AWS_ENDPOINT_URL_STS) => {
      const read = parseOptions([], { AWS_ENDPOINT_URL_STS });
      expect(read.ok ? [] : read.error).toEqual([expect.stringMatching(/^AWS_ENDPOINT_URL_STS: expected http/)]);
      expect(JSON.stringify(read)).not.toContain('very-secret');
    },
  );

  test('are listed by --help', () => {
    expect(unwrap(parseOptions(['--help', '--nope=1'].slice(0, 1), {}))).toBe('help');
    for (const name of FLAG_NAMES) expect(usage()).toContain(`--${name}`);
  });
});
