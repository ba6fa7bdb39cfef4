import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../providers/contract.ts';
import { prepareTarget } from '../../../providers/engine/index.ts';
import { sampleCall, sampleProvider } from '../../../providers/engine/testing.ts';
import type { UpstreamResponse } from '../../../upstream/index.ts';
import { OPERATIONS } from '../index.ts';
import { errorAnswer, streamAnswer } from './answer.ts';

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

describe('a binary answer', () => {
  const endpoint: Endpoint = {
    method: 'POST',
    path: '/audio/speech',
    request: { kind: 'table', table: {} },
    answer: { kind: 'binary' },
  };
  const streamed = (headers: Readonly<Record<string, string>>) =>
    streamAnswer(
      { ...served, endpoint, operation: OPERATIONS.createSpeech },
      { status: 200, headers } as unknown as UpstreamResponse, // no body is read
      { bytes: (bytes) => bytes, text: (text) => text, mayFind: () => false },
    );

  test('passes with its length, and JSON is looked at for what was used', () => {
    const audio = streamed({ 'content-type': 'audio/mpeg', 'content-length': '9' });
    expect(audio).toEqual({ headers: { 'content-type': 'audio/mpeg', 'content-length': '9' }, transform: undefined });
    expect(streamed({ 'content-type': 'application/json' }).observer).toBeDefined();
    expect(streamed({ 'content-type': 'application/json', 'content-encoding': 'gzip' }).observer).toBeUndefined();
  });

  test('that consists of events can end with an error event, unless it is compressed', () => {
    expect(streamed({ 'content-type': 'text/event-stream' }).transform).toBeDefined();
    expect(streamed({ 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).transform).toBeUndefined();
  });
});
