import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import { awsSigV4 } from './index.ts';
import { apply, call, NOW, request, signal, signer, world, writeIdentityFiles, xml } from './testing.ts';

let folder = '';
beforeAll(async () => {
  folder = await writeIdentityFiles();
});
afterAll(() => rm(folder, { recursive: true }));

describe('an assumed role', () => {
  const fields = {
    aws_auth_type: 'assumedRole',
    aws_role_arn: 'arn:aws:iam::1:role/r',
    aws_external_id: 'ext',
    aws_region: 'eu-west-1',
  };
  const base = { AWS_ASSUME_ROLE_ACCESS_KEY_ID: 'BASE', AWS_ASSUME_ROLE_SECRET_ACCESS_KEY: 's' };
  const sts = 'POST https://sts.eu-west-1.amazonaws.com/';

  test('is asked for with the identity of the gateway, in the region of the target, once', async () => {
    const there = world(base, { [sts]: xml('ROLE') });
    expect(signer(await apply(fields, there))).toBe('ROLE');
    expect((await apply(fields, there)).headers['x-amz-security-token']).toBe('t-ROLE');
    expect(there.calls).toHaveLength(1);
    const [asked] = there.calls;
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
      Action: 'AssumeRole',
      Version: '2011-06-15',
      RoleArn: 'arn:aws:iam::1:role/r',
      RoleSessionName: 'gatehouse',
      ExternalId: 'ext',
    });
    expect(asked?.headers?.['authorization']).toMatch(/Credential=BASE\/\d{8}\/eu-west-1\/sts\/aws4_request/);
  });

  test('is asked for by the source role where there is one', async () => {
    const env = { ...base, AWS_ASSUME_ROLE_SOURCE_ARN: 'arn:source', AWS_ASSUME_ROLE_SOURCE_EXTERNAL_ID: 'sx' };
    const there = world(env, { [sts]: xml('CHAINED') });
    await apply(fields, there);
    const forms = there.calls.map(({ body }) => new URLSearchParams(body));
    expect(forms.map((form) => [form.get('RoleArn'), form.get('ExternalId')])).toEqual([
      ['arn:source', 'sx'],
      ['arn:aws:iam::1:role/r', 'ext'],
    ]);
    expect(there.calls[1]?.headers?.['authorization']).toContain('Credential=CHAINED/');
  });

  test('is asked for with the key pair of the account, which needs no identity of the gateway', async () => {
    const keys = { ...fields, aws_access_key_id: 'KEYS', aws_secret_access_key: 's' };
    const there = world(base, { [sts]: xml('ROLE') });
    const outgoing = request();
    const context = { services: there.services, signal: signal() };
    await awsSigV4({ service: 'bedrock' }).apply(outgoing, call(keys, { ownIdentity: false }), context);
    expect(signer(outgoing)).toBe('ROLE');
    expect(there.calls[0]?.headers?.['authorization']).toContain('Credential=KEYS/');
  });

  test('is not asked for when the credentials are its own', async () => {
    const there = world(
      { AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'token'), AWS_ROLE_ARN: 'arn:aws:iam::1:role/r' },
      { [sts]: xml('OWN') },
    );
    expect(signer(await apply(fields, there))).toBe('OWN');
    expect(there.calls).toHaveLength(1);
    expect(there.calls[0]?.headers).not.toHaveProperty('authorization');
  });

  test.for([
    { rule: 'at most five minutes', expiration: '2030-01-01T00:00:00Z', want: 300_000 },
    { rule: 'until a minute before its end', expiration: new Date(NOW + 100_000).toISOString(), want: 40_000 },
    { rule: 'for a moment when it has all but ended', expiration: new Date(NOW + 1_000).toISOString(), want: 1_000 },
  ])('is kept $rule', async ({ expiration, want }) => {
    const there = world(base, { [sts]: xml('ROLE', expiration) });
    await apply(fields, there);
    expect(there.ttls).toEqual([want]);
  });

  test('of another target is another one', async () => {
    const there = world(base, { [sts]: xml('ROLE') });
    await apply(fields, there);
    await apply({ ...fields, aws_external_id: 'other' }, there);
    expect(there.calls).toHaveLength(2);
  });

  test.for([
    {
      rule: 'is refused',
      reply: { status: 403, text: '<Error><Code>AccessDenied</Code><Message>arn:aws:iam::1:user/x</Message></Error>' },
    },
    { rule: 'comes without credentials', reply: '<AssumeRoleResponse/>' },
    { rule: 'cannot be asked for', reply: new AppError('UPSTREAM_UNREACHABLE') },
  ])('that $rule is an error that tells no names', async ({ reply }) => {
    const failure = await apply(fields, world(base, { [sts]: reply })).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'CREDENTIAL_UNAVAILABLE' });
    expect((failure as AppError).detail).not.toContain('iam::1');
  });
});
