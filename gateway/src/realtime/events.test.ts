import { describe, expect, test } from 'vitest';
import { readServerEvent } from './events.ts';

const read = (event: object) => readServerEvent(Buffer.from(JSON.stringify(event)));
const usage = { total_tokens: 3, input_tokens: 1, output_tokens: 2 };

describe('an event of a provider', () => {
  test.for([
    { rule: 'first', event: { type: 'response.done', response: { usage } } },
    { rule: 'behind its id', event: { event_id: 'e', type: 'response.done', response: { usage } } },
    { rule: 'last', event: { response: { usage }, type: 'response.done' } },
  ])('is known with its type $rule', ({ event }) => {
    expect(read(event)).toMatchObject({ type: 'response.done', usage: { input: 1, output: 2, total: 3 } });
  });

  test('names the model of its session', () => {
    expect(read({ type: 'session.created', session: { model: 'm' } })?.model).toBe('m');
    expect(read({ type: 'session.updated', session: { model: 7 } })).toMatchObject({ model: undefined });
  });

  test.for([
    { type: 'response.audio.delta', delta: 'x' },
    { type: 'response.text.delta', delta: '{"type":"response.done"}' },
    { delta: '"response.done"', type: 'response.text.delta' },
    { item: { type: 'response.done' } },
    {},
  ])('is not mistaken for another: %j', (event) => {
    expect(read(event)).toBeUndefined();
  });

  test.for(['', '{', '[]', 'null', '"response.done"', '{"type":"error"'])(
    'that is no JSON breaks nothing: %s',
    (text) => {
      expect(() => readServerEvent(Buffer.from(text))).not.toThrow();
    },
  );
});
