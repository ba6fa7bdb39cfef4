import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cancelledBy } from '../../../lib/testing.ts';
import { apply, authorizer, call, request, signer, world, writeIdentityFiles, xml } from './testing.ts';

const json = (keyId: string, more: object = {}): string =>
  JSON.stringify({
    AccessKeyId: keyId,
    SecretAccessKey: `s-${keyId}`,
    Token: `t-${keyId}`,
    Expiration: '2030-01-01T00:00:00Z',
    ...more,
  });

let folder = '';
beforeAll(async () => {
  folder = await writeIdentityFiles();
});
afterAll(() => rm(folder, { recursive: true }));

describe('the identity of the gateway', () => {
  const service = { aws_auth_type: 'serviceRole' };
  const sts = 'POST https://sts.us-east-1.amazonaws.com/';
  const imds = 'http://169.254.169.254/latest';

  test.for([
    {
      step: 'the dedicated keys',
      env: {
        AWS_ASSUME_ROLE_ACCESS_KEY_ID: 'BASE',
        AWS_ASSUME_ROLE_SECRET_ACCESS_KEY: 's',
        AWS_ACCESS_KEY_ID: 'E',
        AWS_SECRET_ACCESS_KEY: 's',
      },
      replies: {},
      want: 'BASE',
    },
    {
      step: 'the environment',
      env: { AWS_ACCESS_KEY_ID: 'ENV', AWS_SECRET_ACCESS_KEY: 's' },
      replies: {},
      want: 'ENV',
    },
    {
      step: 'the credentials file',
      env: { AWS_SHARED_CREDENTIALS_FILE: '@/credentials' },
      replies: {},
      want: 'FILEDEFAULT',
    },
    {
      step: 'a profile of the file',
      env: { AWS_SHARED_CREDENTIALS_FILE: '@/credentials', AWS_PROFILE: 'work' },
      replies: {},
      want: 'FILEWORK',
    },
    { step: 'the config file', env: { AWS_CONFIG_FILE: '@/config', AWS_PROFILE: 'cfg' }, replies: {}, want: 'CONFIG' },
    {
      step: 'a web identity',
      env: { AWS_WEB_IDENTITY_TOKEN_FILE: '@/token', AWS_ROLE_ARN: 'arn:r' },
      replies: { [sts]: xml('WEB') },
      want: 'WEB',
    },
    {
      step: 'pod identity',
      env: {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1/credentials',
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '@/token',
      },
      replies: { 'GET http://169.254.170.23/v1/credentials': json('POD') },
      want: 'POD',
    },
    {
      step: 'the container',
      env: { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/x' },
      replies: { 'GET http://169.254.170.2/v2/x': json('TASK') },
      want: 'TASK',
    },
    {
      step: 'the virtual machine',
      env: {},
      replies: {
        [`PUT ${imds}/api/token`]: 'imds-token',
        [`GET ${imds}/meta-data/iam/security-credentials/`]: 'role-1\n',
        [`GET ${imds}/meta-data/iam/security-credentials/role-1`]: json('VM'),
      },
      want: 'VM',
    },
    {
      step: 'the older metadata service where it is allowed',
      env: { AWS_IMDS_V1: 'true' },
      replies: {
        [`PUT ${imds}/api/token`]: { status: 403, text: '' },
        [`GET ${imds}/meta-data/iam/security-credentials/`]: 'role-1',
        [`GET ${imds}/meta-data/iam/security-credentials/role-1`]: json('VM1'),
      },
      want: 'VM1',
    },
  ])('comes from $step', async ({ env, replies, want }) => {
    const here = Object.fromEntries(
      Object.entries(env).map(([key, value]) => [key, String(value).replace('@', folder)]),
    );
    expect(signer(await apply(service, world(here, replies)))).toBe(want);
  });

  test.for([
    { rule: 'nothing gives credentials', env: {}, replies: {} },
    { rule: 'metadata is switched off', env: { AWS_EC2_METADATA_DISABLED: 'true' }, replies: {} },
    { rule: 'the old metadata service is not allowed', env: {}, replies: { [`GET ${imds}`]: 'role-1' } },
    {
      rule: 'the token file is gone',
      env: { AWS_WEB_IDENTITY_TOKEN_FILE: '/gone', AWS_ROLE_ARN: 'arn:r' },
      replies: {},
    },
    {
      rule: 'the container endpoint refuses',
      env: { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/x' },
      replies: { 'GET http://169.254.170.2/x': { status: 500, text: '' } },
    },
    {
      rule: 'the container endpoint talks nonsense',
      env: { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/x' },
      replies: { 'GET http://169.254.170.2/x': '<html>' },
    },
    {
      rule: 'the partition is not a domain',
      env: { AWS_ENDPOINT_DOMAIN: 'a/b', AWS_ACCESS_KEY_ID: 'E', AWS_SECRET_ACCESS_KEY: 's' },
      replies: {},
    },
  ])('is an error when $rule', async ({ env, replies }) => {
    await expect(apply(service, world(env, replies))).rejects.toMatchObject({ code: 'CREDENTIAL_UNAVAILABLE' });
  });

  test('sends the tokens that the metadata services ask for', async () => {
    const pod = world(
      {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1',
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: join(folder, 'token'),
      },
      { 'GET http://169.254.170.23/v1': json('POD') },
    );
    await apply(service, pod);
    expect(pod.calls[0]).toMatchObject({ metadata: true, headers: { authorization: 'web-token' } });
  });

  test('does not come from settings that are empty', async () => {
    const empty = {
      AWS_ACCESS_KEY_ID: '',
      AWS_SECRET_ACCESS_KEY: '',
      AWS_PROFILE: '',
      AWS_ENDPOINT_DOMAIN: '',
      AWS_REGION: '',
    };
    const env = { ...empty, AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials') };
    const signed = await apply(service, world(env), request());
    expect(signer(signed)).toBe('FILEDEFAULT');
    expect(signed.origin).toBe('https://bedrock-runtime.us-east-1.amazonaws.com');
  });

  test('is shared: one request that is aborted does not abort it for the others', async () => {
    const there = world(
      { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/x' },
      { 'GET http://169.254.170.2/x': json('TASK') },
    );
    const outgoing = request();
    await authorizer.apply(outgoing, call(service), { services: there.services, signal: cancelledBy('enough') });
    expect(signer(outgoing)).toBe('TASK');
  });
});
