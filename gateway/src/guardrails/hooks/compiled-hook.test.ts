import type { HookActions } from '@gatehouse/crds/guardrails';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../lib/secret.ts';
import type { CheckCredential } from '../contract.ts';
import { CHECKS } from '../register.ts';
import { compileHook, overrideHook, UnknownCheck } from './index.ts';
import { definitionsOf, FAIL, hookOf, PASS, replaces } from './testing.ts';

const OPTIONS = { checks: CHECKS, id: 'input_guardrail_1', scope: 'request' } as const;
const CONTAINS = {
  id: 'default.contains',
  parameters: { words: ['a'], operator: 'any' },
  enabled: true,
  failOnError: false,
} as const;

describe('a compiled hook', () => {
  test('does nothing unless it is told to', () => {
    expect(compileHook({ type: 'guardrail', checks: [CONTAINS] }, OPTIONS)).toMatchObject({
      id: 'input_guardrail_1',
      deny: false,
      async: false,
      sequential: false,
      softDeny200: false,
      mode: 'enforce',
      buffer: false,
      owner: 'config',
      transforms: false,
      needsFleet: false,
    });
  });

  test('has its own id before a given one', () => {
    expect(compileHook({ type: 'guardrail', id: 'pg-mine' }, OPTIONS).id).toBe('pg-mine');
  });

  test('leaves out checks that are switched off, and a mutator none', () => {
    const checks = [PASS, { ...FAIL, enabled: false }];
    const ids = (type: 'guardrail' | 'mutator') => hookOf(checks, { type }).checks.map(({ entry }) => entry.id);
    expect([ids('guardrail'), ids('mutator')]).toEqual([['t.0'], ['t.0', 't.1']]);
  });

  test('of mutators runs them one after another', () => {
    expect(hookOf([PASS], { type: 'mutator', sequential: false }).sequential).toBe(true);
  });

  test('knows whether a check changes texts', () => {
    expect([hookOf([PASS, replaces('a', 'b')]).transforms, hookOf([PASS]).transforms]).toEqual([true, false]);
  });

  test('gives checks that call out five seconds, or what they say', () => {
    const { checks } = hookOf([
      PASS,
      { ...PASS, entry: { callsOut: true } },
      { ...PASS, entry: { callsOut: true }, timeoutMs: 70 },
    ]);
    expect(checks.map(({ timeoutMs }) => timeoutMs)).toEqual([undefined, 5_000, 70]);
  });

  test('takes credentials of a check by its place, also behind one that is off, and its own before those', () => {
    const given: string[] = [];
    const definition = (id: string) => {
      const entry = definitionsOf([PASS]).get('t.0')?.entry;
      if (entry === undefined) throw new Error('no check');
      const compile = (_: unknown, credential: CheckCredential) => {
        given.push(`${id} ${[...credential].map(([name, secret]) => `${name}=${secret.reveal()}`)}`);
        return PASS.run;
      };
      return [id, { entry: { ...entry, id }, compile }] as const;
    };
    const check = { parameters: {}, enabled: true, failOnError: false };
    const checks = [
      { ...check, id: 'a', enabled: false },
      { ...check, id: 'b' },
      { ...check, id: 'c', credential: { key: 'own' } },
    ];
    compileHook(
      { type: 'guardrail', checks },
      {
        ...OPTIONS,
        checks: new Map(['a', 'b', 'c'].map(definition)),
        credentialOf: (i) => new Map([['key', new Secret(`stored ${i}`)]]),
      },
    );
    expect(given).toEqual(['b key=stored 1', 'c key=own']);
  });

  test('is not made with a check of another version', () => {
    const checks = [{ ...CONTAINS, id: 'default.newer' }];
    expect(() => compileHook({ type: 'guardrail', checks }, OPTIONS)).toThrow(UnknownCheck);
  });

  test('has an identity that differs with what it does', () => {
    const identity = (words: string[]) =>
      compileHook({ type: 'guardrail', checks: [{ ...CONTAINS, parameters: { words, operator: 'any' } }] }, OPTIONS)
        .identity;
    expect(identity(['a'])).toBe(identity(['a']));
    expect(identity(['a'])).not.toBe(identity(['b']));
  });
});

describe('a stored hook with overrides', () => {
  const stored = hookOf([PASS], { id: 'pg-a', deny: true, message: 'No.', mode: 'enforce' });

  test('is the same where nothing is said', () => {
    expect(overrideHook(stored, { deny: undefined })).toBe(stored);
  });

  test.for<HookActions>([
    { deny: false },
    { async: true },
    { sequential: true },
    { softDeny200: true },
    { mode: 'monitor' },
    { message: 'Not here.' },
    { buffer: true },
    { window: 100 },
    { onFail: { value: -5, weight: 1, metadata: {} } },
  ])('takes %j from where it is attached', (actions) => {
    const changed = overrideHook(stored, actions);
    expect(changed).toEqual({ ...stored, ...actions, identity: expect.any(String) });
    expect(changed.identity).not.toBe(stored.identity);
  });

  test('keeps its id, its version and its checks', () => {
    const spec = { type: 'mutator', id: 'other', checks: [], versionId: 'v2', deny: false } as const;
    expect(overrideHook(stored, spec)).toMatchObject({ id: 'pg-a', type: 'guardrail', checks: stored.checks });
  });

  test('of mutators stays sequential', () => {
    expect(overrideHook(hookOf([PASS], { type: 'mutator' }), { sequential: false }).sequential).toBe(true);
  });
});
