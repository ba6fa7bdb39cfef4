import { describe, expect, test } from 'vitest';
import { prepareTarget } from '../../../providers/engine/index.ts';
import { sampleCall, sampleProvider } from '../../../providers/engine/testing.ts';
import { OPERATIONS } from '../index.ts';
import { errorAnswer } from './answer.ts';

const call = sampleCall();
const provider = sampleProvider();
const served = {
  ...{ provider, call, params: {}, endpoint: undefined, adaptation: undefined },
  resolved: { target: prepareTarget(provider, call.fields) },
};

describe('an error of a provider', () => {
  const answerTo = (operation: keyof typeof OPERATIONS, status: number, body: string) => {
    const bytes = Buffer.from(body);
    return errorAnswer(
      { ...served, operation: OPERATIONS[operation] },
      { status, headers: { 'x-request-id': 'r' }, bytes },
    );
  };

  test('keeps its fields and gains the provider', () => {
    const body = JSON.stringify({ error: { message: 'No', type: 't', param: 'p', code: 'c' } });
    const { headers, bytes } = answerTo('chatComplete', 400, body);
    expect(JSON.parse(bytes.toString())).toEqual({
      error: { message: 'openai error: No', type: 't', param: 'p', code: 'c' },
      provider: 'openai',
    });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-request-id': 'r' });
  });

  test.for([
    { status: 429, want: 'rate_limit_error' },
    { status: 500, want: 'api_error' },
  ])('of $status has a type for messages when it brings none', ({ status, want }) => {
    const { bytes } = answerTo('messages', status, '{"error":{"message":"No"}}');
    expect(JSON.parse(bytes.toString())).toMatchObject({ type: 'error', error: { type: want }, provider: 'openai' });
  });

  test.for([408, 412])('of %i is relayed', (status) => {
    expect(answerTo('messages', status, '{"odd":1}').bytes.toString()).toBe('{"odd":1}');
  });

  test('without a body is relayed without one', () => {
    expect(answerTo('chatComplete', 500, '').bytes).toHaveLength(0);
  });
});
