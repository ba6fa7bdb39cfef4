import { describe, expect, test } from 'vitest';
import { authorizedFetch, awsBaseUrl } from './index.ts';
import { apply, authorizer, call, request, signal, signer, type Values, world } from './testing.ts';

describe('the credential modes', () => {
  test('static keys sign with their session token', async () => {
    const signed = await apply(
      { aws_access_key_id: 'AKID', aws_secret_access_key: 'sk', aws_session_token: 'st', aws_region: 'eu-west-1' },
      world({}),
    );
    expect(signer(signed)).toBe('AKID');
    expect(signed.headers['authorization']).toContain('/eu-west-1/bedrock/aws4_request');
    expect(signed.headers['x-amz-security-token']).toBe('st');
  });

  test.for([
    { rule: 'by its mode', fields: { aws_auth_type: 'apiKey', api_key: 'k' } },
    { rule: 'alone', fields: { api_key: 'k' } },
  ])('an API key $rule is a bearer token and nothing is signed', async ({ fields }) => {
    const signed = await apply(fields, world({}));
    expect(signed.headers).toMatchObject({ authorization: 'Bearer k' });
    expect(signed.headers).not.toHaveProperty('x-amz-date');
  });

  test.for([
    { fields: {}, param: 'aws_access_key_id' },
    { fields: { aws_access_key_id: 'a' }, param: 'aws_secret_access_key' },
    { fields: { aws_auth_type: 'apiKey' }, param: 'api_key' },
    { fields: { aws_auth_type: 'assumedRole' }, param: 'aws_role_arn' },
  ])('name the field that is missing: $param', async ({ fields, param }) => {
    await expect(apply(fields, world({}))).rejects.toMatchObject({ code: 'PROVIDER_FIELD_MISSING', param });
  });

  test('a region that is not a name is refused', async () => {
    const fields = { aws_access_key_id: 'a', aws_secret_access_key: 'b', aws_region: 'x.evil.example/' };
    await expect(apply(fields, world({}))).rejects.toMatchObject({ code: 'PARAMETER_INVALID', param: 'aws_region' });
    expect(() => awsBaseUrl('bedrock', call(fields))).toThrow(expect.objectContaining({ param: 'aws_region' }));
  });
});

describe('the place of a call', () => {
  const keys = { aws_access_key_id: 'a', aws_secret_access_key: 'b' };

  test.for([
    { rule: 'stays without settings', fields: keys, env: {}, want: 'bedrock-runtime.us-east-1.amazonaws.com' },
    {
      rule: 'takes the domain of the partition',
      fields: keys,
      env: { AWS_ENDPOINT_DOMAIN: 'amazonaws.com.cn' },
      want: 'bedrock-runtime.us-east-1.amazonaws.com.cn',
    },
    {
      rule: 'takes the region of the environment with the identity of the machine',
      fields: { aws_auth_type: 'serviceRole' },
      env: { AWS_REGION: 'eu-north-1', AWS_ACCESS_KEY_ID: 'e', AWS_SECRET_ACCESS_KEY: 'f' },
      want: 'bedrock-runtime.eu-north-1.amazonaws.com',
    },
    {
      rule: 'keeps the default region with keys of its own',
      fields: keys,
      env: { AWS_REGION: 'eu-north-1' },
      want: 'bedrock-runtime.us-east-1.amazonaws.com',
    },
  ])('$rule', async ({ fields, env, want }) => {
    const outgoing = request(awsBaseUrl('bedrock-runtime', call(fields)));
    const signed = await apply(fields, world(env), outgoing);
    expect(signed.origin).toBe(`https://${want}`);
    expect(signed.headers['host']).toBe(want);
  });

  test('of a custom host is left alone', async () => {
    const outgoing = request('http://vpce-1.bedrock-runtime.us-east-1.vpce.amazonaws.com:8443');
    const signed = await apply(keys, world({ AWS_ENDPOINT_DOMAIN: 'amazonaws.com.cn' }), outgoing);
    expect(signed.headers['host']).toBe('vpce-1.bedrock-runtime.us-east-1.vpce.amazonaws.com:8443');
  });
});

describe('a call beside the main one', () => {
  test('is signed and sent as it was signed', async () => {
    const there = world({}, { 'GET https://bedrock.us-east-1.amazonaws.com/x': 'ok' });
    const context = { services: there.services, signal: signal() };
    const target = call({ aws_access_key_id: 'AKID', aws_secret_access_key: 's' });
    const side = { method: 'GET', url: 'https://bedrock.us-east-1.amazonaws.com/x?b=1+2' } as const;
    const answer = await authorizedFetch(authorizer, side, target, context);
    expect(answer.body.toString()).toBe('ok');
    expect(there.calls[0]).toMatchObject({
      url: 'https://bedrock.us-east-1.amazonaws.com/x?b=1%202',
      headers: { host: 'bedrock.us-east-1.amazonaws.com', authorization: expect.stringContaining('Credential=AKID/') },
    });
  });
});

describe('a proxied call', () => {
  const keys = { aws_access_key_id: 'a', aws_secret_access_key: 'b' };

  test.for([
    {
      rule: 'with a streamed body is signed without it',
      headers: { 'content-length': '10' },
      want: 'UNSIGNED-PAYLOAD',
    },
    {
      rule: 'with a chunked body is signed without it',
      headers: { 'transfer-encoding': 'chunked' },
      want: 'UNSIGNED-PAYLOAD',
    },
    { rule: 'without a body is signed as empty', headers: { 'content-length': '0' }, want: undefined },
  ])('$rule', async ({ headers, want }) => {
    const values: Values = headers;
    const proxied = call(keys, { endpoint: 'proxy', header: (name) => values[name] });
    const outgoing = { ...request(), body: undefined };
    await authorizer.apply(outgoing, proxied, { services: world({}).services, signal: signal() });
    expect(outgoing.headers['x-amz-content-sha256' as keyof typeof outgoing.headers]).toBe(want);
  });
});
