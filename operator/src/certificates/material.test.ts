import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { derInteger, derOid, derTime } from './der.ts';
import { createAuthority, issueLeaf } from './issue.ts';
import { bundleOf, renew, toData, toMaterial } from './material.ts';
import { type Material, planCertificates } from './plan.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 1);
const LIFETIMES = { authorityMs: 3_650 * DAY_MS, leafMs: 90 * DAY_MS, settleMs: DAY_MS };
const NAMES = ['gatehouse-operator.gatehouse-system.svc', '127.0.0.1'];
const NONE: Material = { authorities: [], leaf: undefined };

const at = (material: Material, days: number, names = NAMES) =>
  renew({ material, names, lifetimes: LIFETIMES, nowMs: START_MS + days * DAY_MS });
const leafOf = ({ leaf }: Material) => new X509Certificate(leaf?.certPem ?? '');
const authority = ({ authorities }: Material, i: number) => new X509Certificate(authorities.at(i)?.certPem ?? '');

describe('a certificate', () => {
  test('is issued with its authority and valid for all its names', async () => {
    const { material, changed } = await at(NONE, 0);
    expect(changed).toBe(true);
    const leaf = leafOf(material);
    expect(leaf.checkHost(NAMES[0] ?? '')).toBeDefined();
    expect(leaf.checkIP('127.0.0.1')).toBeDefined();
    expect(leaf.checkHost('elsewhere.svc')).toBeUndefined();
    expect(leaf.verify(authority(material, 0).publicKey)).toBe(true);
    expect(leaf.checkIssued(authority(material, 0))).toBe(true);
    expect({ leaf: leaf.ca, authority: authority(material, 0).ca }).toEqual({ leaf: false, authority: true });
    expect(leaf.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(leaf.validToDate.getTime()).toBe(START_MS + LIFETIMES.leafMs);
  });

  test.for([
    { rule: 'stays before two thirds of its life', days: 59, names: NAMES, changed: false },
    { rule: 'is renewed after two thirds', days: 61, names: NAMES, changed: true },
    { rule: 'is renewed when it has ended', days: 100, names: NAMES, changed: true },
    { rule: 'is renewed for another name', days: 1, names: [...NAMES, 'more.svc'], changed: true },
  ])('$rule', async ({ days, names, changed }) => {
    const { material } = await at(NONE, 0);
    const later = await at(material, days, names);
    expect(later.changed).toBe(changed);
    expect(later.material.authorities).toEqual(material.authorities);
    expect(leafOf(later.material).serialNumber === leafOf(material).serialNumber).toBe(!changed);
  });

  test('says when to look again', async () => {
    const { material, dueMs } = await at(NONE, 0);
    expect(dueMs).toBe(START_MS + 60 * DAY_MS);
    expect((await at(material, 1)).dueMs).toBe(dueMs);
  });
});

describe('an authority', () => {
  const LATE = (3_650 * 2) / 3 + 1;

  test('is trusted beside the old one before it signs, and alone when the old one has ended', async () => {
    const { material: first } = await at(NONE, 0);
    const fresh = (await at(first, LATE - 2)).material;
    const { material: both } = await at(fresh, LATE);
    expect(both.authorities).toHaveLength(2);
    expect(leafOf(both).verify(authority(both, 0).publicKey)).toBe(true);
    const { material: signed } = await at(both, LATE + 89);
    expect(leafOf(signed).verify(authority(both, -1).publicKey)).toBe(true);
    expect(signed.authorities).toEqual(both.authorities);
    const { material: alone } = await at(signed, 3_651);
    expect(alone.authorities).toEqual(both.authorities.slice(1));
  });

  test.for([
    {
      rule: 'nothing that can be read',
      spoil: () => ({ authorities: [{ certPem: 'x', keyPem: 'y' }], leaf: { certPem: 'x', keyPem: 'y' } }),
    },
    {
      rule: 'no key',
      spoil: ({ authorities, leaf }: Material) => ({
        authorities: authorities.map((pair) => ({ ...pair, keyPem: '' })),
        leaf,
      }),
    },
    { rule: 'no certificate', spoil: ({ authorities }: Material) => ({ authorities, leaf: undefined }) },
  ])('is renewed where there is $rule', async ({ spoil }) => {
    const { material } = await at(NONE, 0);
    const healed = await at(spoil(material), 1);
    expect(healed.changed).toBe(true);
    const again = planCertificates({
      material: healed.material,
      names: NAMES,
      lifetimes: LIFETIMES,
      nowMs: START_MS + DAY_MS,
    });
    expect(again).toMatchObject({ needsAuthority: false, needsLeaf: false });
  });
});

describe('a Secret', () => {
  test('returns the material that was stored', async () => {
    const { material } = await at(NONE, 0);
    const more = { ...material, authorities: [...material.authorities, ...(await at(NONE, 1)).material.authorities] };
    expect(toMaterial({ data: toData(more) })).toEqual(more);
    expect(toMaterial({ data: toData(NONE) })).toEqual(NONE);
    expect(bundleOf(more.authorities).match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  });
});

describe('DER', () => {
  test.for([
    {
      rule: 'writes a positive number whose first bit is set with a zero before it',
      bytes: derInteger(Buffer.from([0x80])),
      hex: '02020080',
    },
    {
      rule: 'writes arcs above 127 in several bytes',
      bytes: derOid('1.2.840.10045.4.3.2'),
      hex: '06082a8648ce3d040302',
    },
    {
      rule: 'writes two digits of a year until 2049',
      bytes: derTime(Date.UTC(2049, 11, 31)),
      hex: `170d${Buffer.from('491231000000Z').toString('hex')}`,
    },
    {
      rule: 'writes four digits from 2050',
      bytes: derTime(Date.UTC(2050, 0, 1)),
      hex: `180f${Buffer.from('20500101000000Z').toString('hex')}`,
    },
  ])('$rule', ({ bytes, hex }) => {
    expect(bytes.toString('hex')).toBe(hex);
  });

  test('is a certificate that other tools parse, for any host name', async () => {
    const validity = { fromMs: START_MS, untilMs: START_MS + DAY_MS };
    const pair = await createAuthority('Test', validity);
    const label = fc.stringMatching(/^[a-z]([a-z0-9]{0,20})$/);
    await fc.assert(
      fc.asyncProperty(fc.array(label, { minLength: 1, maxLength: 12 }), async (labels) => {
        const name = `${labels.join('.')}.svc`;
        const leaf = new X509Certificate((await issueLeaf(pair, [name], validity)).certPem);
        expect(leaf.checkHost(name)).toBe(name);
      }),
      { numRuns: 20 },
    );
  });
});
