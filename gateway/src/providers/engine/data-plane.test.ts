import { describe, expect, test } from 'vitest';
import { compileDataPlane } from './data-plane.ts';

const plane = compileDataPlane([
  'POST /chat/completions',
  'GET|DELETE /files/**',
  '* /threads/**',
  'POST /model/<any>/invoke',
  'POST /v1/models/*:generateContent',
  'POST /deployments/{deployment_id}/chat/completions',
  'POST /',
]);
const admits = (method: string, path: string): boolean =>
  plane.admits({ method, path }, (name) => (name === 'deployment_id' ? 'ours' : undefined));

describe('a path of the data plane', () => {
  test.for([
    ['POST', '/chat/completions'],
    ['post', '/chat/completions'],
    ['POST', '/chat/completions/'],
    ['GET', '/files'],
    ['GET', '/files/f-1/content'],
    ['DELETE', '/files/f-1'],
    ['PATCH', '/threads/t/messages/m'],
    ['POST', '/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Fx/invoke'],
    ['POST', '/model/amazon.nova-lite-v1:0/invoke'],
    ['POST', '/v1/models/gemini-2.5-pro:generateContent'],
    ['POST', '/deployments/ours/chat/completions'],
    ['POST', '/'],
  ])('is %s %s', ([method = '', path = '']) => {
    expect(admits(method, path)).toBe(true);
  });

  test.for([
    ['GET', '/chat/completions'],
    ['POST', '/chat/completions/x'],
    ['POST', '/files'],
    ['GET', '/organization/users'],
    ['GET', '/files/../organization/users'],
    ['GET', '/files/%2e%2e/organization/users'],
    ['GET', '/files/..%2forganization%2fusers'],
    ['GET', '/files/..%5corganization'],
    ['GET', '/files/..;/organization/users'],
    ['GET', '/files/x%2f..%2f..%2forganization'],
    ['GET', '/files/%252e%252e%252forganization'],
    ['GET', '/files//organization/users'],
    ['GET', '//organization/users'],
    ['GET', '/files/%00'],
    ['GET', '/files/%zz'],
    ['GET', '/Files'],
    ['POST', '/model/a/b/invoke'],
    ['POST', '/model/x%2f..%2f..%2flogging/invoke'],
    ['POST', '/v1/models/gemini:setIamPolicy:generateContent'],
    ['POST', '/v1/models/gemini:tune'],
    ['POST', '/deployments/theirs/chat/completions'],
  ])('is not %s %s', ([method = '', path = '']) => {
    expect(admits(method, path)).toBe(false);
  });

  test('is none without a pattern, and a pattern is well formed', () => {
    expect(compileDataPlane([]).admits({ method: 'GET', path: '/' }, () => undefined)).toBe(false);
    expect(() => compileDataPlane(['/files'])).toThrow();
  });
});
