import { describe, expect, test } from 'vitest';
import { cleanRecord } from './clean/index.ts';
import { boundClient, wholeClient } from './client.ts';
import { sampleRecord } from './testing.ts';

const SECRET = 'sk-very-secret-credential-0123456789';

/** What is recorded of a client with these headers, and with a credential beside them. */
function kept(given: Readonly<Record<string, string>>) {
  const client = wholeClient({ header: (name) => given[name] });
  const headers = () => [['authorization', `Bearer ${SECRET}`] as const];
  const record = sampleRecord({ request: { client: boundClient(client), headers } });
  const { trace, metadata } = record.request;
  const { request } = cleanRecord(record, { trace, metadata, user: undefined, client });
  return [request.client?.runtime, request.client?.runtimeVersion, request.client?.sdk];
}

const STAINLESS = {
  'x-stainless-lang': 'python',
  'x-stainless-runtime': 'CPython',
  'x-stainless-runtime-version': '3.12.4',
  'x-stainless-package-version': '1.54.0',
  'user-agent': 'OpenAI/Python 1.54.0',
};

describe('what a client runs on', () => {
  test.for([
    { rule: 'is what its SDK says', headers: STAINLESS, want: ['CPython', '3.12.4', '1.54.0'] },
    {
      rule: 'is its language where there is no more',
      headers: { 'x-stainless-lang': 'ruby' },
      want: ['ruby', undefined, undefined],
    },
    { rule: 'is not known without headers', headers: {}, want: [undefined, undefined, undefined] },
    {
      rule: 'is not known of empty ones',
      headers: { 'x-stainless-runtime': ' \t' },
      want: [undefined, undefined, undefined],
    },
    {
      rule: 'has the first product of its User-Agent',
      headers: agent('curl/8.5.0'),
      want: [undefined, undefined, 'curl/8.5.0'],
    },
    {
      rule: 'has no further product',
      headers: agent('a-b/1.0+c (x; y) d/2'),
      want: [undefined, undefined, 'a-b/1.0+c'],
    },
    { rule: 'has no product without a version', headers: agent('curl'), want: [undefined, undefined, undefined] },
    { rule: 'has no product that is none', headers: agent('<b>/1 x'), want: [undefined, undefined, undefined] },
    {
      rule: 'has no browser',
      headers: agent('Mozilla/5.0 (X11; Linux x86_64) Chrome/1'),
      want: [undefined, undefined, undefined],
    },
    {
      rule: 'has no User-Agent that is too long',
      headers: agent(`a/1 ${'x'.repeat(300)}`),
      want: [undefined, undefined, undefined],
    },
    {
      rule: 'has no control characters',
      headers: { 'x-stainless-runtime': 'no\u0000de\u001b[31m\u0085', 'x-stainless-runtime-version': 'v\t22\n' },
      want: ['node[31m', 'v22', undefined],
    },
    {
      rule: 'is cut',
      headers: { 'x-stainless-runtime': 'r'.repeat(9_000), ...agent(`${'n'.repeat(90)}/1`) },
      want: ['r'.repeat(64), undefined, 'n'.repeat(64)],
    },
    {
      rule: 'has no credential, wherever it is cut',
      headers: {
        'x-stainless-runtime': `${'r'.repeat(50)}${SECRET}`,
        'x-stainless-runtime-version': SECRET,
        'x-stainless-package-version': `v ${SECRET}`,
      },
      want: [`${'r'.repeat(50)}[redacted]`, '[redacted]', 'v [redacted]'],
    },
    {
      rule: 'has no credential of a User-Agent',
      headers: agent(`${SECRET}/1`),
      want: [undefined, undefined, undefined],
    },
  ])('$rule', ({ headers, want }) => {
    expect(kept(headers)).toEqual(want);
  });
});

function agent(text: string): Readonly<Record<string, string>> {
  return { 'user-agent': text };
}
