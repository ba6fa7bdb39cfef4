import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnswerHead, Provider } from '../contract.ts';
import { providerErrorBody, readErrorFields } from './error-fields.ts';
import { sampleProvider } from './testing.ts';

const HEAD: AnswerHead = { status: 400, headers: {} };
const read = (body: unknown, provider: Partial<Provider> = {}, head = HEAD): ReturnType<typeof readErrorFields> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readErrorFields(sampleProvider({ id: 'acme', ...provider }), head, Buffer.from(text));
};

describe('an upstream error', () => {
  test('is read by the provider first, then by shape', () => {
    const readError: Provider['readError'] = (body) =>
      body === 'mine' ? { message: 'own', type: 'o', param: null, code: null } : undefined;
    expect(read('mine', { readError })).toMatchObject({ message: 'acme error: own', type: 'o' });
    expect(read({ error: { message: 'boom' } }, { readError })).toMatchObject({ message: 'acme error: boom' });
  });

  test('carries the prefix once', () => {
    expect(read({ message: 'acme error: boom' }).message).toBe('acme error: boom');
  });

  test('is the text when it is no JSON', () => {
    expect(read(' <h1>Bad gateway</h1>\n')).toEqual({
      message: 'acme error: <h1>Bad gateway</h1>',
      type: null,
      param: null,
      code: null,
    });
  });

  test.for(['', '{"oops":1}', '[]'])('in no known shape is an invalid response: %j', (text) => {
    const { message } = read(text);
    expect(message).toMatch(
      new RegExp(`^Invalid response received from acme \\(${text.length} bytes, SHA-256 [0-9a-f]{16}\\)$`),
    );
  });

  test('may be a bare JSON text', () => {
    expect(read('"text"').message).toBe('acme error: text');
  });

  test('takes its type from the header of AWS when the body has none', () => {
    const head = { status: 400, headers: { 'x-amzn-errortype': 'ValidationException:http://internal/' } };
    expect(read({ message: 'bad' }, {}, head)).toMatchObject({ type: 'ValidationException' });
    expect(read({ message: 'bad', type: 't' }, {}, head)).toMatchObject({ type: 't' });
  });

  test('never repeats more than a bounded part, and never throws', () => {
    expect(read('x'.repeat(100_000)).message.length).toBeLessThan(9000);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const fields = read(text);
        expect(typeof fields.message).toBe('string');
        expect(providerErrorBody('acme', fields)).toEqual({ error: fields, provider: 'acme' });
      }),
    );
  });
});
