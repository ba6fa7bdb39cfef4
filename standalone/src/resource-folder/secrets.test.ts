import { describe, expect, test } from 'vitest';
import { createEnvironmentSecrets, readSecret } from './secrets.ts';

describe('a Secret', () => {
  test('has its data decoded, with stringData in precedence', () => {
    const { data, problems } = readSecret({
      data: { a: 'aGVsbG8=', b: 'b2xk', wrapped: 'aGVs\nbG8=' },
      stringData: { b: 'new', c: '' },
    });
    expect(Object.fromEntries(data)).toEqual({ a: 'hello', b: 'new', wrapped: 'hello', c: '' });
    expect(problems).toEqual([]);
  });

  test('has an empty entry where a key has no value', () => {
    const { data, problems } = readSecret({ data: { a: null }, stringData: { b: null, c: '' } });
    expect(Object.fromEntries(data)).toEqual({ a: '', b: '', c: '' });
    expect(problems).toEqual([]);
  });

  test.for([
    { rule: 'data is no base64', value: { data: { key: 'sk-plain' } }, path: ['data', 'key'] },
    { rule: 'a text lacks its quotes', value: { stringData: { key: 12345 } }, path: ['stringData', 'key'] },
    { rule: 'there is no map', value: { stringData: 'x' }, path: ['stringData'] },
  ])('has a problem where $rule, which does not repeat the value', ({ value, path }) => {
    const { data, problems } = readSecret(value);
    expect(data.size).toBe(0);
    expect(problems.map((problem) => problem.path)).toEqual([path]);
    expect(JSON.stringify(problems)).not.toMatch(/sk-plain|12345/);
  });
});

describe('Secrets of the environment', () => {
  const variables = {
    GATEHOUSE_SECRET_MY_OPENAI_API_KEY: 'from-env',
    GATEHOUSE_SECRET_MY_OPENAI_OTHER: 'other-from-env',
    OTHER: 'x',
  };
  const own = new Map([
    [
      'team-a/my.openai',
      new Map([
        ['api-key', 'from-folder'],
        ['empty', ''],
      ]),
    ],
    ['team-a/anthropic', new Map([['api-key', 'a']])],
  ]);
  const secrets = createEnvironmentSecrets(variables)(own);

  test.for([
    { rule: 'the folder goes first', key: 'team-a/my.openai', entry: 'api-key', want: 'from-folder' },
    {
      rule: 'what it lacks is taken from the variable',
      key: 'team-a/my.openai',
      entry: 'other',
      want: 'other-from-env',
    },
    { rule: 'what neither has is missing', key: 'team-a/my.openai', entry: 'nothing', want: undefined },
    { rule: 'a Secret may be of variables alone', key: 'team-b/my-openai', entry: 'api-key', want: 'from-env' },
    { rule: 'a Secret without variables is the folder', key: 'team-a/anthropic', entry: 'api-key', want: 'a' },
  ])('$rule', ({ key, entry, want }) => {
    expect(secrets.get(key)?.get(entry)).toBe(want);
  });

  test('a Secret of neither does not exist', () => {
    expect(secrets.get('team-a/absent')).toBeUndefined();
  });

  test('the result is the same object as long as the folder does not change', () => {
    const withEnvironment = createEnvironmentSecrets(variables);
    for (const key of ['team-a/my.openai', 'team-b/my-openai', 'team-a/anthropic']) {
      expect(withEnvironment(own).get(key)).toBe(withEnvironment(own).get(key));
    }
    const edited = new Map([...own, ['team-a/my.openai', new Map()] as const]);
    expect(withEnvironment(edited).get('team-a/my.openai')).not.toBe(withEnvironment(own).get('team-a/my.openai'));
  });
});
