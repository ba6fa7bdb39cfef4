import { describe, expect, test } from 'vitest';
import { compileModelPlaces } from './model-places.ts';

const places = compileModelPlaces([
  { model: 'body', calls: ['POST /chat/completions', 'POST /threads/runs'] },
  { model: 'none', calls: ['POST|DELETE /threads/*'] },
  { model: 'path', calls: ['POST /model/<model>/invoke', 'POST /hub/<model>/<model>', 'POST /v1/<model>:generate'] },
  { model: 'path', calls: ['POST /by/<model>/<model>'], name: ([maker, model]) => `${maker}.${model}` },
]);
const at = (method: string, path: string) => places({ method, path });

describe('the model of a proxied call', () => {
  test.for([
    ['POST', '/chat/completions', { kind: 'body' }],
    ['POST', '/threads/runs', { kind: 'body' }],
    ['DELETE', '/threads/t', { kind: 'none' }],
    ['GET', '/anything', { kind: 'none' }],
    ['POST', '/model/a.b%3A0/invoke', { kind: 'path', model: 'a.b:0' }],
    ['POST', '/hub/org/name', { kind: 'path', model: 'org/name' }],
    ['POST', '/v1/small:generate', { kind: 'path', model: 'small' }],
    ['POST', '/v1/small:tune:generate', { kind: 'path', model: 'small:tune' }],
    ['POST', '/by/meta/llama', { kind: 'path', model: 'meta.llama' }],
  ] as const)('of %s %s stands where its row says', ([method, path, expected]) => {
    expect(at(method, path)).toEqual(expected);
  });

  test.for([
    ['POST', '/chat/completions/x'],
    ['PUT', '/threads/t'],
    ['POST', '/model/x%2f..%2fy/invoke'],
    ['POST', '/model/x%252fy/invoke'],
    ['POST', '/model//invoke'],
    ['POST', '/elsewhere'],
  ])('of %s %s is not known', ([method = '', path = '']) => {
    expect(at(method, path)).toBeUndefined();
  });
});
