import { createPrivateKey, createVerify, generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import { Cancellation } from '../../../lib/cancellation.ts';
import { Secret } from '../../../lib/secret.ts';
import type { OutgoingRequest } from '../../contract.ts';
import { sampleCall, sampleServices } from '../../engine/testing.ts';
import { ociSignature } from './index.ts';
import { derivationCost } from './pem.ts';
import { authorizationOf, signingString } from './sign.ts';

/** The example of the vendor's documentation of request signatures, with the key of the draft that it follows. */
const VENDOR_KEY = createPrivateKey(
  [
    '-----BEGIN RSA PRIVATE KEY-----',
    'MIICXgIBAAKBgQDCFENGw33yGihy92pDjZQhl0C36rPJj+CvfSC8+q28hxA161QF',
    'NUd13wuCTUcq0Qd2qsBe/2hFyc2DCJJg0h1L78+6Z4UMR7EOcpfdUE9Hf3m/hs+F',
    'UR45uBJeDK1HSFHD8bHKD6kv8FPGfJTotc+2xjJwoYi+1hqp1fIekaxsyQIDAQAB',
    'AoGBAJR8ZkCUvx5kzv+utdl7T5MnordT1TvoXXJGXK7ZZ+UuvMNUCdN2QPc4sBiA',
    'QWvLw1cSKt5DsKZ8UETpYPy8pPYnnDEz2dDYiaew9+xEpubyeW2oH4Zx71wqBtOK',
    'kqwrXa/pzdpiucRRjk6vE6YY7EBBs/g7uanVpGibOVAEsqH1AkEA7DkjVH28WDUg',
    'f1nqvfn2Kj6CT7nIcE3jGJsZZ7zlZmBmHFDONMLUrXR/Zm3pR5m0tCmBqa5RK95u',
    '412jt1dPIwJBANJT3v8pnkth48bQo/fKel6uEYyboRtA5/uHuHkZ6FQF7OUkGogc',
    'mSJluOdc5t6hI1VsLn0QZEjQZMEOWr+wKSMCQQCC4kXJEsHAve77oP6HtG/IiEn7',
    'kpyUXRNvFsDE0czpJJBvL/aRFUJxuRK91jhjC68sA7NsKMGg5OXb5I5Jj36xAkEA',
    'gIT7aFOYBFwGgQAQkWNKLvySgKbAZRTeLBacpHMuQdl1DfdntvAyqpAZ0lY0RKmW',
    'G6aFKaqQfOXKCyWoUiVknQJAXrlgySFci/2ueKlIE1QqIiLSZ8V8OlpFLRnb1pzI',
    '7U1yQXnTAEFYM560yJlzUpOb1V4cScGd365tiSMvxLOvTA==',
    '-----END RSA PRIVATE KEY-----',
  ].join('\n'),
);
const COMPARTMENT = 'ocid1.compartment.oc1..aaaaaaaam3we6vgnherjq5q2idnccdflvjsnog7mlr6rtdb25gilchfeyjxa';
const VOLUME = 'ocid1.volume.oc1.phx.abyhqljrgvttnlx73nmrwfaux7kcvzfs3s66izvxf2h4lgvyndsdsnoiwr5q';
const VENDOR_HEADERS = { date: 'Thu, 05 Jan 2014 21:31:40 GMT', host: 'iaas.us-phoenix-1.oraclecloud.com' };

describe('a signature', () => {
  test.for([
    {
      rule: 'without a body',
      request: {
        method: 'GET',
        path: `/20160918/instances?availabilityDomain=Pjwf%3A%20PHX-AD-1&compartmentId=${COMPARTMENT}&displayName=TeamXInstances&volumeId=${VOLUME}`,
        headers: VENDOR_HEADERS,
      },
      names: ['date', '(request-target)', 'host'],
      want: 'GBas7grhyrhSKHP6AVIj/h5/Vp8bd/peM79H9Wv8kjoaCivujVXlpbKLjMPeDUhxkFIWtTtLBj3sUzaFj34XE6YZAHc9r2DmE4pMwOAy/kiITcZxa1oHPOeRheC0jP2dqbTll8fmTZVwKZOKHYPtrLJIJQHJjNvxFWeHQjMaR7M=',
    },
    {
      rule: 'with a body',
      request: {
        method: 'POST',
        path: '/20160918/volumeAttachments',
        headers: {
          ...VENDOR_HEADERS,
          'content-length': '316',
          'content-type': 'application/json',
          'x-content-sha256': 'V9Z20UJTvkvpJ50flBzKE32+6m2zJjweHpDMX/U4Uy0=',
        },
      },
      names: ['date', '(request-target)', 'host', 'content-length', 'content-type', 'x-content-sha256'],
      want: 'Mje8vIDPlwIHmD/cTDwRxE7HaAvBg16JnVcsuqaNRim23fFPgQfLoOOxae6WqKb1uPjYEl0qIdazWaBy/Ml8DRhqlocMwoSXv0fbukP8J5N80LCmzT/FFBvIvTB91XuXI3hYfP9Zt1l7S6ieVadHUfqBedWH0itrtPJBgKmrWso=',
    },
  ])("is the vendor's $rule", async ({ request, names, want }) => {
    const header = await authorizationOf(request, names, { keyId: 'tenancy/user/fingerprint', key: VENDOR_KEY });
    expect(header).toBe(
      `Signature version="1",keyId="tenancy/user/fingerprint",algorithm="rsa-sha256",headers="${names.join(' ')}",signature="${want}"`,
    );
  });
});

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (options: object = {}, type: 'pkcs1' | 'pkcs8' = 'pkcs8'): string =>
  pair.privateKey.export({ type, format: 'pem', ...options }).toString();
const LOCKED = { cipher: 'aes-256-cbc', passphrase: 'open sesame' };
const IDENTITY = { oracle_tenancy: 'ocid1.tenancy', oracle_user: 'ocid1.user', oracle_fingerprint: '20:3b' };

type Texts = Readonly<Record<string, string>>;

async function signed(secrets: Texts, over: Partial<OutgoingRequest> = {}, texts: Texts = IDENTITY) {
  const kept = new Map(Object.entries(secrets).map(([key, value]) => [key, new Secret(value)]));
  const request: OutgoingRequest = {
    method: 'POST',
    origin: 'https://x.example:8443',
    path: '/20231130/actions/chat',
    headers: { 'content-type': 'application/json', date: 'sent by a client', 'x-content-sha256': 'too' },
    body: Buffer.from('{"grüße":1}'),
    ...over,
  };
  const fields = { text: (key: string) => texts[key], secret: (key: string) => kept.get(key) };
  const call = sampleCall({ provider: 'oracle', fields });
  await ociSignature().apply(request, call, { services: sampleServices(), signal: new Cancellation() });
  return request;
}

const NAMES = ['(request-target)', 'date', 'host', 'x-content-sha256', 'content-type', 'content-length'];

function verifies(request: OutgoingRequest, names: readonly string[]): boolean {
  const headers = { ...request.headers, 'content-length': String(request.body?.length ?? 0) };
  const signature = /signature="([^"]+)"/.exec(request.headers['authorization'] ?? '')?.[1] ?? '';
  const verify = createVerify('RSA-SHA256').update(signingString({ ...request, headers }, names));
  return verify.verify(pair.publicKey, Buffer.from(signature, 'base64'));
}

describe('a request', () => {
  test('is signed over its line, host, date and body', async () => {
    const request = await signed({ oracle_private_key: pem() });
    expect(request.headers).toMatchObject({
      date: 'Thu, 09 Oct 2025 08:53:20 GMT',
      host: 'x.example:8443',
      'x-content-sha256': 'CHMe9bgke9qygRpgBnx5fooV8KXiNTlsgTOQTUp887E=',
    });
    expect(request.headers['authorization']).toMatch(
      /^Signature version="1",keyId="ocid1.tenancy\/ocid1.user\/20:3b",algorithm="rsa-sha256",headers="\(request-target\) date host x-content-sha256 content-type content-length",signature="/,
    );
    expect(verifies(request, NAMES)).toBe(true);
    expect(request.headers).not.toHaveProperty('content-length');
  });

  test('without a body is signed without one', async () => {
    const request = await signed({ oracle_private_key: pem() }, { method: 'GET', body: undefined, headers: {} });
    expect(verifies(request, NAMES.slice(0, 3))).toBe(true);
    expect(Object.keys(request.headers).sort()).toEqual(['authorization', 'date', 'host']);
  });

  test('with an empty body is signed with its hash', async () => {
    const request = await signed({ oracle_private_key: pem() }, { body: undefined, headers: {} });
    expect(verifies(request, NAMES)).toBe(true);
  });

  test('that streams its body is refused', async () => {
    const streamed = { open: () => expect.fail('not opened'), replayable: false, bytes: 1 };
    const work = signed({ oracle_private_key: pem() }, { body: undefined, streamed });
    await expect(work).rejects.toMatchObject({ code: 'OPERATION_UNSUPPORTED' });
  });

  test.for(Object.keys(IDENTITY))('needs %s, and nothing that ends its place in the header', async (key) => {
    const secrets = { oracle_private_key: pem() };
    await expect(signed(secrets, {}, { ...IDENTITY, [key]: 'a",keyId="b' })).rejects.toMatchObject({
      code: 'PARAMETER_INVALID',
      param: key,
    });
    const { [key]: _, ...rest } = IDENTITY as Texts;
    await expect(signed(secrets, {}, rest)).rejects.toMatchObject({ code: 'PROVIDER_FIELD_MISSING', param: key });
  });

  test('needs a key', async () => {
    await expect(signed({})).rejects.toMatchObject({ code: 'PROVIDER_FIELD_MISSING', param: 'oracle_private_key' });
  });
});

describe('a private key', () => {
  test.for<[rule: string, secrets: Texts]>([
    ['PKCS #8', { oracle_private_key: pem() }],
    ['PKCS #1', { oracle_private_key: pem({}, 'pkcs1') }],
    ['escaped line breaks', { oracle_private_key: pem().replaceAll('\n', '\\n') }],
    ['PKCS #8 and a passphrase', { oracle_private_key: pem(LOCKED), oracle_key_passphrase: LOCKED.passphrase }],
    [
      'PKCS #1 and a passphrase',
      { oracle_private_key: pem(LOCKED, 'pkcs1'), oracle_key_passphrase: LOCKED.passphrase },
    ],
    ['a passphrase that it does not need', { oracle_private_key: pem(), oracle_key_passphrase: 'x' }],
  ])('may come as %s', async ([, secrets]) => {
    expect(verifies(await signed(secrets), NAMES)).toBe(true);
  });

  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;

  test.for<[rule: string, secrets: Texts]>([
    ['no PEM', { oracle_private_key: 'open sesame' }],
    ['cut off', { oracle_private_key: pem().slice(0, 200) }],
    ['too short', { oracle_private_key: small.export(pkcs8).toString() }],
    ['of another kind', { oracle_private_key: curve.export(pkcs8).toString() }],
    ['locked', { oracle_private_key: pem(LOCKED) }],
    ['locked by another passphrase', { oracle_private_key: pem(LOCKED), oracle_key_passphrase: 'open barley' }],
    ['too large', { oracle_private_key: pem() + ' '.repeat(20_000) }],
  ])('is of no use when it is %s', async ([, secrets]) => {
    const thrown: unknown = await signed(secrets).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(thrown).toBeInstanceOf(AppError);
    expect(thrown).toMatchObject({ code: 'CREDENTIAL_UNAVAILABLE' });
    expect(inspect(thrown, { depth: 10 })).not.toMatch(/PRIVATE KEY|open (?:sesame|barley)/);
  });
});

/** DER of the given tag. */
const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const contents = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, 0x82, contents.length >> 8, contents.length & 0xff]), contents]);
};
const id = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const number = (value: number): Buffer => der(0x02, Buffer.from(value.toString(16).padStart(8, '0'), 'hex'));
const envelope = (...algorithm: readonly Buffer[]): string => {
  const text = der(0x30, der(0x30, ...algorithm), der(0x04, Buffer.from('x'))).toString('base64');
  return `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${text}\n-----END ENCRYPTED PRIVATE KEY-----`;
};
const SALT = der(0x04, Buffer.from('salt'));
const pbes2 = (derivation: string, rounds: number): string =>
  envelope(id('2a864886f70d01050d'), der(0x30, der(0x30, id(derivation), der(0x30, SALT, number(rounds)))));

describe('what it costs to open a key', () => {
  test.for([
    { rule: 'of a plain one', text: pem(), want: 0 },
    { rule: 'that this runtime locked', text: pem(LOCKED), want: 2048 },
    { rule: 'of PBKDF2', text: pbes2('2a864886f70d01050c', 9_000_000), want: 9_000_000 },
    { rule: 'of scrypt', text: pbes2('2b06010401da47040b', 2), want: Number.POSITIVE_INFINITY },
    { rule: 'of the older scheme', text: envelope(id('2a864886f70d010503'), der(0x30, SALT, number(7))), want: 7 },
    { rule: 'of PKCS #12', text: envelope(id('2a864886f70d010c0103'), der(0x30, SALT, number(8))), want: 8 },
    { rule: 'of an unknown scheme', text: envelope(id('2a03')), want: Number.POSITIVE_INFINITY },
    { rule: 'without a number', text: envelope(id('2a864886f70d010503'), SALT), want: Number.POSITIVE_INFINITY },
    {
      rule: 'of a broken one',
      text: '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIL/////\n-----END',
      want: Number.POSITIVE_INFINITY,
    },
  ])('is read from the envelope $rule', ({ text, want }) => {
    expect(derivationCost(text)).toBe(want);
  });

  test('has a bound', async () => {
    const work = signed({ oracle_private_key: pbes2('2a864886f70d01050c', 9_000_000), oracle_key_passphrase: 'x' });
    await expect(work).rejects.toMatchObject({ code: 'CREDENTIAL_UNAVAILABLE' });
  });
});
