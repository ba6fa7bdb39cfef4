import type { KindName } from '@gatehouse/crds/kinds';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { abandonedSecret, REFERRING_KINDS, secretRefsOf } from './index.ts';

const metadata = { name: 'x', namespace: 'team' };
const refs = (kind: KindName, spec: unknown, status?: unknown): string[] =>
  secretRefsOf(kind, { metadata, spec, status }).map(({ namespace, name }) => `${namespace}/${name}`);

describe('Secrets are named by', () => {
  test.for<{ rule: string; kind: KindName; spec: unknown; want: readonly string[] }>([
    { rule: 'a VirtualKey', kind: 'VirtualKey', spec: { secretRef: { name: 'a', key: 'k' } }, want: ['team/a'] },
    {
      rule: 'an Integration, in another namespace',
      kind: 'Integration',
      spec: { secretRef: { name: 'a', namespace: 'other' } },
      want: ['other/a'],
    },
    {
      rule: 'the headers of an account, beside its credential',
      kind: 'VirtualKey',
      spec: {
        secretRef: { name: 'a' },
        headersFrom: [
          { name: 'x-one', secretRef: { name: 'b', key: 'k' } },
          { name: 'x-two', secretRef: { name: 'a', key: 'k' } },
        ],
      },
      want: ['team/a', 'team/b'],
    },
    {
      rule: 'the headers of an Integration without a credential',
      kind: 'Integration',
      spec: { headersFrom: [{ name: 'x-one', secretRef: { name: 'b', key: 'k' } }, 'broken'] },
      want: ['team/b'],
    },
    {
      rule: 'every target of a config, each once',
      kind: 'GatewayConfig',
      spec: {
        config: {
          secretRef: { name: 'a' },
          targets: [{ secretRef: { name: 'b' }, targets: [{ secretRef: { name: 'a' } }] }, {}],
        },
      },
      want: ['team/a', 'team/b'],
    },
    {
      rule: 'the checks of a Guardrail',
      kind: 'Guardrail',
      spec: { checks: [{ parametersSecretRef: { name: 'a' } }, { id: 'contains' }, 'broken'] },
      want: ['team/a'],
    },
    {
      rule: 'an ApiKey that brings one',
      kind: 'ApiKey',
      spec: { secretRef: { name: 'a', key: 'k' } },
      want: ['team/a'],
    },
    { rule: 'an ApiKey that needs one minted', kind: 'ApiKey', spec: {}, want: ['team/x-key'] },
    { rule: 'no ApiKey with a hash', kind: 'ApiKey', spec: { sha256: 'ab' }, want: [] },
    { rule: 'no object of another Kind', kind: 'Workspace', spec: { secretRef: { name: 'a' } }, want: [] },
    { rule: 'no reference without a name', kind: 'VirtualKey', spec: { secretRef: { key: 'k' } }, want: [] },
  ])('$rule', ({ kind, spec, want }) => {
    expect(refs(kind, spec)).toEqual(want);
  });

  test.for([
    { rule: 'a hash', spec: { sha256: 'ab' }, status: { secretRef: { name: 'x-key' } }, want: ['team/x-key'] },
    {
      rule: 'a Secret',
      spec: { secretRef: { name: 'a', key: 'k' } },
      status: { secretRef: { name: 'x-key' } },
      want: ['team/a', 'team/x-key'],
    },
    { rule: 'a hash, when it is gone', spec: { sha256: 'ab' }, status: {}, want: [] },
    {
      rule: 'a hash, if the Secret is not the minted one',
      spec: { sha256: 'ab' },
      status: { secretRef: { name: 'b' } },
      want: [],
    },
  ])('the status of an ApiKey that once was minted and brings $rule', ({ spec, status, want }) => {
    expect(refs('ApiKey', spec, status)).toEqual(want);
  });

  test('no more than once where an ApiKey adopts what was minted for it', () => {
    const object = {
      metadata,
      spec: { secretRef: { name: 'x-key', key: 'key' } },
      status: { secretRef: { name: 'x-key' } },
    };
    expect(abandonedSecret(object)).toBeUndefined();
    expect(secretRefsOf('ApiKey', object)).toHaveLength(1);
  });

  test('whatever a broken object has', () => {
    fc.assert(
      fc.property(fc.constantFrom(...REFERRING_KINDS), fc.jsonValue(), (kind, spec) => {
        for (const { namespace, name } of secretRefsOf(kind, { metadata, spec })) {
          expect(typeof namespace).toBe('string');
          expect(name).not.toBe('');
        }
      }),
    );
  });
});
