import { err, ok } from '@gatehouse/crds';
import { describe, expect, test } from 'vitest';
import type { AnswerRule, Call, Endpoint, ModelsEndpoint } from '../contract.ts';
import { modelListBody, readAnswer, readModels } from './answer.ts';
import { sampleCall, sampleProvider } from './testing.ts';

const provider = sampleProvider({ id: 'groq' });

function read(answer: AnswerRule, text: string, over: Partial<Call> = {}): string {
  const endpoint: Endpoint = { method: 'POST', path: '/', request: { kind: 'none' }, answer };
  const upstream = { head: { status: 200, headers: {} }, bytes: Buffer.from(text) };
  return readAnswer(provider, endpoint, sampleCall(over), upstream).toString();
}

describe('a successful answer', () => {
  test('is relayed as it is', () => {
    expect(read({ kind: 'relay' }, ' {"a" : 1} ')).toBe(' {"a" : 1} ');
  });

  test('gains the provider without being parsed', () => {
    expect(read({ kind: 'tag' }, '{ "big": 12345678901234567890 }')).toBe(
      '{ "big": 12345678901234567890 ,"provider":"groq"}',
    );
    expect(read({ kind: 'tag' }, '<html>')).toBe('<html>');
  });

  test('is extended for clients that are not strict, and only if there is something to add', () => {
    const rule: AnswerRule = { kind: 'tag', extend: (body) => ('x' in body ? { ...body, more: 1 } : body) };
    expect(read(rule, '{"x": 1}')).toBe('{"x": 1,"provider":"groq"}');
    expect(JSON.parse(read(rule, '{"x":1,"provider":"own"}', { strict: false }))).toEqual({
      x: 1,
      more: 1,
      provider: 'groq',
    });
    expect(read(rule, '{"y": 1}', { strict: false })).toBe('{"y": 1,"provider":"groq"}');
    expect(read(rule, '<html>', { strict: false })).toBe('<html>');
  });

  test('is read where it has another shape', () => {
    const rule: AnswerRule = {
      kind: 'read',
      read: (body, call, head) => ok({ body, model: call.model, status: head.status }),
    };
    expect(JSON.parse(read(rule, '[1]'))).toEqual({ body: [1], model: 'm1', status: 200 });
  });

  test.for([
    ['is no JSON', '<html>'],
    ['cannot be read', '{"odd":true}'],
  ] as const)('is an invalid response when it %s', ([, text]) => {
    const rule: AnswerRule = { kind: 'read', read: () => err('choices are missing') };
    expect(() => read(rule, text)).toThrow(
      expect.objectContaining({
        code: 'UPSTREAM_INVALID_RESPONSE',
        detail: expect.stringMatching(`^Invalid response received from groq \\(${text.length} bytes, `),
        provider: 'groq',
      }),
    );
  });
});

describe('a list of models', () => {
  const list = (body: unknown, models?: ModelsEndpoint): unknown =>
    readModels(sampleProvider(models === undefined ? {} : { models }), sampleCall(), {
      bytes: Buffer.from(JSON.stringify(body)),
      page: undefined,
    });

  test('is taken as it is where the provider says nothing', () => {
    expect(list({ object: 'list', data: [{ id: 'a', x: 1 }, 7] })).toEqual({ data: [{ id: 'a', x: 1 }] });
    expect(list([{ id: 'a' }])).toEqual({ data: [{ id: 'a' }] });
  });

  test('is read by the provider, page by page', () => {
    const models: ModelsEndpoint = { path: '/m', read: () => ok({ data: [{ id: 'b' }], next: '/m?2' }) };
    expect(list({}, models)).toEqual({ data: [{ id: 'b' }], next: '/m?2' });
  });

  test.for([
    [{ oops: 1 }, undefined],
    [{}, { path: '/m', read: () => err('no list') }],
  ] as const)('is an invalid response otherwise: %j', ([body, models]) => {
    expect(() => list(body, models)).toThrow(expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE' }));
  });

  test('has one form for clients', () => {
    expect(modelListBody(provider, [{ id: 'a' }])).toEqual({ object: 'list', data: [{ id: 'a' }], provider: 'groq' });
  });
});
