import { API_VERSION, type ApiKey, parseResource } from '@gatehouse/crds/kinds';
import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PREVIOUS_KEY } from '../../translate/index.ts';
import {
  isMinted,
  type KeySecret,
  MINTED_AT,
  mintedStatus,
  mintKey,
  newSecret,
  nextActionOf,
  PREVIOUS_UNTIL,
  ROTATE_ANNOTATION,
  ROTATED_FOR,
  ROTATION_DAYS,
} from './minted.ts';
import { nextRotationMs, type RotationRules } from './rotation.ts';

const at = (time: string): number => Date.parse(time);
const NOW = at('2027-03-10T12:00:00Z'); // a Wednesday
const MINUTE_MS = 60_000;

function apiKey({ rotation, rotate }: { rotation?: object; rotate?: string } = {}): ApiKey {
  const annotations = rotate === undefined ? {} : { [ROTATE_ANNOTATION]: rotate };
  return unwrap(
    parseResource('ApiKey', {
      apiVersion: API_VERSION,
      kind: 'ApiKey',
      metadata: { name: 'app', namespace: 'team', uid: 'u1', annotations },
      spec: {
        type: 'workspace-service',
        scopes: ['completions.write'],
        ...(rotation === undefined ? {} : { rotation }),
      },
    }),
  );
}

interface Given {
  readonly key?: string;
  readonly previous?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

function secret({ key = 'b2xk', previous, annotations = {} }: Given = {}): KeySecret {
  const data = { ...(key === '' ? {} : { key }), ...(previous === undefined ? {} : { [PREVIOUS_KEY]: previous }) };
  const metadata = {
    name: 'app-key',
    namespace: 'team',
    annotations: { [MINTED_AT]: '2027-03-01T00:00:00Z', ...annotations },
  };
  return { apiVersion: 'v1', kind: 'Secret', metadata, data };
}

const chore = (key: ApiKey, given: Given = {}) => nextActionOf(key, secret(given), { nowMs: NOW, mint: () => 'new' });

describe('a rotation', () => {
  test.for<{ rule: string; rules: Partial<RotationRules>; after: string; want: string | undefined }>([
    { rule: 'weekly is next Monday', rules: { period: 'weekly' }, after: '2027-03-10T12:00:00Z', want: '2027-03-15' },
    {
      rule: 'on a Monday is a week later',
      rules: { period: 'weekly' },
      after: '2027-03-15T00:00:00Z',
      want: '2027-03-22',
    },
    { rule: 'monthly is on the 1st', rules: { period: 'monthly' }, after: '2027-12-31T23:59:59Z', want: '2028-01-01' },
    {
      rule: 'in days counts from midnight',
      rules: { periodDays: 2 },
      after: '2027-02-27T20:00:00Z',
      want: '2027-03-01',
    },
    {
      rule: 'once is at midnight of its day',
      rules: { nextRotationAt: '2027-05-05T17:00:00Z' },
      after: '2027-03-10T00:00:00Z',
      want: '2027-05-05',
    },
    {
      rule: 'once does not come again',
      rules: { nextRotationAt: '2027-01-05T17:00:00Z' },
      after: '2027-03-10T00:00:00Z',
      want: undefined,
    },
    {
      rule: 'that was given goes before the period',
      rules: { period: 'weekly', nextRotationAt: '2027-05-05T00:00:00Z' },
      after: '2027-03-10T00:00:00Z',
      want: '2027-05-05',
    },
    {
      rule: 'follows its period afterwards',
      rules: { period: 'weekly', nextRotationAt: '2027-03-10T00:00:00Z' },
      after: '2027-03-10T00:00:00Z',
      want: '2027-03-15',
    },
  ])('$rule', ({ rules, after, want }) => {
    const next = nextRotationMs({ transitionMinutes: 30, ...rules }, at(after));
    expect(next).toBe(want === undefined ? undefined : at(`${want}T00:00:00Z`));
  });

  test('is always later, and at midnight', () => {
    const rules = fc.oneof(
      fc.record({ periodDays: fc.integer({ min: 1, max: 365 }) }),
      fc.record({ period: fc.constantFrom('weekly' as const, 'monthly' as const) }),
    );
    fc.assert(
      fc.property(rules, fc.integer({ min: 0, max: 4e12 }), (given, afterMs) => {
        const next = nextRotationMs({ transitionMinutes: 30, ...given }, afterMs) ?? 0;
        expect(next).toBeGreaterThan(afterMs);
        expect(next % 86_400_000).toBe(0);
      }),
    );
  });
});

describe('the Secret of a minted key', () => {
  test('holds 256 random bits, is owned by its ApiKey, and only its ends are in the status', () => {
    const key = mintKey();
    expect(key).toMatch(/^gwk_[A-Za-z0-9_-]{43}$/);
    expect(mintKey()).not.toBe(key);
    const made = newSecret(apiKey({ rotate: 'first' }), key, { nowMs: NOW });
    expect(made).toMatchObject({
      metadata: {
        name: 'app-key',
        namespace: 'team',
        ownerReferences: [{ kind: 'ApiKey', name: 'app', uid: 'u1', controller: true }],
        annotations: { [MINTED_AT]: '2027-03-10T12:00:00Z', [ROTATED_FOR]: 'first' },
      },
      data: { key: Buffer.from(key).toString('base64') },
    });
    const minted = { secretRef: { name: 'app-key' }, maskedKey: `gw…${key.slice(-2)}` };
    const read = (secret: KeySecret | undefined) => ({ store: { get: () => secret }, isKnown: () => true });
    expect(mintedStatus(apiKey(), read(made))).toEqual(minted);
    expect(mintedStatus(apiKey(), read(secret()))).toEqual({});
    expect(mintedStatus({ ...apiKey(), status: minted }, read(undefined))).toEqual({});
    const unread = { store: { get: () => undefined }, isKnown: () => false };
    expect(
      mintedStatus({ ...apiKey(), status: { ...minted, conditions: [] } }, unread),
      'unread is not absent',
    ).toEqual(minted);
    expect(mintedStatus(apiKey(), unread)).toEqual({});
    expect(isMinted(apiKey())).toBe(true);
  });

  test.for<{ rule: string; key: ApiKey; given: Given; want: object }>([
    {
      rule: 'is left alone without rules',
      key: apiKey(),
      given: {},
      want: { what: 'nothing', patch: undefined, againMs: undefined },
    },
    {
      rule: 'is looked at again when a rotation is due',
      key: apiKey({ rotation: { period: 'weekly' } }),
      given: { annotations: { [MINTED_AT]: '2027-03-09T00:00:00Z' } },
      want: { what: 'nothing', againMs: at('2027-03-15T00:00:00Z') },
    },
    {
      rule: 'is rotated when that is due',
      key: apiKey({ rotation: { period: 'weekly', transitionMinutes: 60 } }),
      given: {},
      want: {
        what: 'rotated',
        againMs: NOW + 60 * MINUTE_MS,
        patch: {
          data: { key: Buffer.from('new').toString('base64'), [PREVIOUS_KEY]: 'b2xk' },
          metadata: { annotations: { [PREVIOUS_UNTIL]: '2027-03-10T13:00:00Z' } },
        },
      },
    },
    {
      rule: 'is rotated when asked to',
      key: apiKey({ rotate: 'a' }),
      given: {},
      want: { what: 'rotated', patch: { metadata: { annotations: { [ROTATED_FOR]: 'a' } } } },
    },
    {
      rule: 'is rotated once per value',
      key: apiKey({ rotate: 'a' }),
      given: { annotations: { [ROTATED_FOR]: 'a' } },
      want: { what: 'nothing' },
    },
    {
      rule: 'is not rotated twice in a transition',
      key: apiKey({ rotate: 'b' }),
      given: { previous: 'eA==', annotations: { [PREVIOUS_UNTIL]: '2027-03-10T12:10:00Z' } },
      want: { what: 'refused', patch: { data: {} }, againMs: NOW + 10 * MINUTE_MS },
    },
    {
      rule: 'keeps the previous key for the transition',
      key: apiKey(),
      given: { previous: 'eA==', annotations: { [PREVIOUS_UNTIL]: '2027-03-10T12:10:00Z' } },
      want: { what: 'nothing', againMs: NOW + 10 * MINUTE_MS },
    },
    {
      rule: 'loses the previous key afterwards',
      key: apiKey(),
      given: { previous: 'eA==', annotations: { [PREVIOUS_UNTIL]: '2027-03-10T12:00:00Z' } },
      want: { what: 'retired', patch: { data: { [PREVIOUS_KEY]: null } } },
    },
    {
      rule: 'loses a previous key that has no end',
      key: apiKey(),
      given: { previous: 'eA==' },
      want: { what: 'retired' },
    },
    {
      rule: 'gets a new key when its entry was removed',
      key: apiKey(),
      given: { key: '' },
      want: { what: 'repaired', patch: { data: { key: Buffer.from('new').toString('base64') } } },
    },
  ])('$rule', ({ key, given, want }) => {
    expect(chore(key, given)).toMatchObject(want);
  });
});

describe('the period of the key policy', () => {
  const person = (spec: object = {}): ApiKey => {
    const key = apiKey();
    return { ...key, spec: { ...key.spec, type: 'workspace-user', user: 'ada', ...spec } };
  };
  const madeUnder = (days: number | undefined, key: ApiKey = person()) =>
    newSecret(key, mintKey(), { nowMs: NOW, rotationDays: days });
  const later = { nowMs: NOW + 8 * 86_400_000, mint: mintKey };

  test('is that of the time when the key of a person was generated', () => {
    const secret = madeUnder(7);
    expect(secret.metadata.annotations).toMatchObject({ [ROTATION_DAYS]: '7' });
    expect(nextActionOf(person(), secret, later)).toMatchObject({ what: 'rotated' });
    expect(nextActionOf(person(), madeUnder(undefined), { ...later, rotationDays: 7 })).toMatchObject({
      what: 'nothing',
    });
  });

  test('follows the policy at each rotation', () => {
    const { patch } = nextActionOf(person(), madeUnder(7), { ...later, rotationDays: 30 });
    expect(patch?.metadata.annotations).toMatchObject({ [ROTATION_DAYS]: '30' });
    const gone = nextActionOf(person(), madeUnder(7), later);
    expect(gone.patch?.metadata.annotations).toMatchObject({ [ROTATION_DAYS]: null });
  });

  test.for<{ rule: string; key: ApiKey }>([
    { rule: 'a key of a program', key: apiKey() },
    { rule: 'a key with rules of its own', key: person({ rotation: { period: 'monthly', transitionMinutes: 30 } }) },
  ])('is not for $rule', ({ key }) => {
    expect(madeUnder(7, key).metadata.annotations).not.toHaveProperty(ROTATION_DAYS);
  });
});
