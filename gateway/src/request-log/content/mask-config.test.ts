import { expect, test } from 'vitest';
import { maskConfig } from './mask-config.ts';

const HASH = expect.stringMatching(/^hash:[0-9a-f]{16}$/);

test('the slug of a saved config is shown', () => {
  expect(maskConfig('cheap')).toBe('cheap');
  expect(maskConfig('x'.repeat(300))).toBe('********');
});

test('a config that cannot be read is not shown', () => {
  expect(maskConfig('{"api_key":"sk-123456789')).toBe('********');
  expect(maskConfig(`${'['.repeat(100)}"sk-123456789"`)).toBe('********');
});

test.for([
  'api_key',
  'apiKey',
  'aws_access_key_id',
  'aws_secret_access_key',
  'aws_session_token',
  'aws_role_arn',
  'awsRoleArn',
  'aws_external_id',
  'azure_ad_token',
  'clientSecret',
  'AIRS_API_KEY',
  'oracle_private_key',
  'oracle_key_passphrase',
  'password',
])('%s is masked in targets of targets', (name) => {
  const config = {
    strategy: { mode: 'fallback' },
    targets: [{ targets: [{ provider: 'openai', [name]: 'abcdefghijkl' }] }],
  };
  expect(maskConfig(JSON.stringify(config))).toEqual({
    strategy: { mode: 'fallback' },
    targets: [{ targets: [{ provider: 'openai', [name]: HASH }] }],
  });
});

test('all of a service account and all headers of a check are masked, numbers too', () => {
  const config = {
    vertex_service_account_json: { project_id: 'my-project-1', private_key: 'abcdefghijkl', port: 7 },
    input_guardrails: [
      { 'default.webhook': { webhookURL: 'https://me:pw@a.example/x?sig=1', headers: { 'x-a': 'abc' } } },
    ],
  };
  expect(maskConfig(JSON.stringify(config))).toEqual({
    vertex_service_account_json: { project_id: HASH, private_key: HASH, port: '********' },
    input_guardrails: [{ 'default.webhook': { webhookURL: 'https://a.example/x', headers: { 'x-a': HASH } } }],
  });
});
