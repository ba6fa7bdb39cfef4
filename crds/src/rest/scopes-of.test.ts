import { expect, test } from 'vitest';
import { scopesOf } from './index.ts';
import { OPERATION_SCOPES } from './operation-scopes.generated.ts';

test.for([
  { rule: 'one of its operations', method: 'GET', path: '/configs', want: ['configs.list'] },
  { rule: 'a path with a name', method: 'PUT', path: '/configs/pc-a', want: ['configs.update'] },
  { rule: 'a slash at the end', method: 'GET', path: '/configs/', want: ['configs.list'] },
  { rule: 'HEAD, which is GET', method: 'HEAD', path: '/configs', want: ['configs.list'] },
  { rule: 'another method', method: 'PATCH', path: '/configs', want: undefined },
  { rule: 'a longer path', method: 'GET', path: '/configs/a/b/c/d', want: undefined },
  { rule: 'nothing', method: 'GET', path: '', want: undefined },
])('scopes of $rule', ({ method, path, want }) => {
  expect(scopesOf(method, path)).toEqual(want);
});

test('every operation has its own scopes, whatever stands in its path', () => {
  for (const { method, path, scopes } of OPERATION_SCOPES) {
    expect([path, scopesOf(method, path.replaceAll(/\{\w+\}/g, 'some-name'))]).toEqual([path, scopes]);
  }
});
