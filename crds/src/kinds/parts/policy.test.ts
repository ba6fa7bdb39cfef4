import { expect, test } from 'vitest';
import { conditionIssues, ENDPOINT_TYPES } from './policy.ts';

const issues = (key: string, ...values: string[]): string[] =>
  conditionIssues([{ key, values }]).map(({ path, message }) => `${path.join('.')}: ${message}`);

test('values that no request can have are refused at their place, with a near one', () => {
  expect(issues('provider', 'openai', 'opnai')).toEqual([
    'spec.conditions.0.values.1: no provider has this id; did you mean openai?',
  ]);
  const [first, ...others] = issues('endpoint_type', 'chatComplete', '*', 'chatcomplete');
  expect(first).toMatch(/^spec\.conditions\.0\.values\.2: no request is of this type; expected one of chatComplete, /);
  expect(first).toMatch(/did you mean chatComplete\?$/);
  expect(others).toEqual([]);
  expect(issues('endpoint_type', ...ENDPOINT_TYPES)).toEqual([]);
  expect(issues('metadata.team', 'anything')).toEqual([]);
});
