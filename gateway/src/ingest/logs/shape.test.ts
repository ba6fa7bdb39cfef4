import { expect, test } from 'vitest';
import { logElement } from './shape.ts';

const request = { url: '/v1/chat/completions' };

test.for<[given: object, path: string, message: string]>([
  [{ request: '{bad' }, 'request', 'expected an object, or its JSON in a text'],
  [{ request, response: '[]' }, 'response', 'expected an object, or its JSON in a text'],
  [
    { request: { ...request, headers: { a: { b: 1 } } } },
    'request.headers.a',
    'expected a text, a number, true or false, or a list of texts',
  ],
  [{ request, createdAt: 'yesterday' }, 'createdAt', 'expected a time in RFC 3339, or in ms'],
  [{ request, createdAt: true }, 'createdAt', 'expected a time in RFC 3339, or in ms'],
  [
    { request, output: { cost: { cost: 1, currency: 'EUR' } } },
    'output.cost.currency',
    'expected USD, the one currency of costs',
  ],
])('%j names what is wrong at %s', ([given, path, message]) => {
  const issues = logElement.safeParse(given).error?.issues ?? [];
  expect(issues.map((issue) => [issue.path.join('.'), issue.message])).toEqual([[path, message]]);
});

test('a request may be its JSON in a text', () => {
  expect(logElement.parse({ request: JSON.stringify(request) }).request).toEqual(request);
});
