import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { composeAnswer } from './compose.ts';
import { embedText } from './embed.ts';
import { type PromptOptions, type Turn, toPrompt } from './prompt.ts';
import { countTokens, splitEvenly, splitPieces, takeTokens } from './tokens.ts';

const user = (text: string, images = 0): Turn => ({ role: 'user', text, images });
const tool = (name: string) => ({ name, schema: { type: 'object', properties: { city: { type: 'string' } } } });
const compose = (
  turns: readonly Turn[],
  options: PromptOptions = {},
  controls: { text?: string; responseBytes?: number } = {},
) => composeAnswer(toPrompt(turns, options), controls);

describe('an answer', () => {
  test.for([
    { rule: 'repeats the last user text', turns: [user('A'), user('B')], text: 'Mock answer to: B' },
    { rule: 'acknowledges images', turns: [user('See', 2)], text: 'Mock answer to: See [2 images]' },
    { rule: 'is there without a user', turns: [], text: 'Mock answer to: ' },
    {
      rule: 'tells the results that end the conversation',
      turns: [user('Q'), { role: 'tool', text: '1' }, { role: 'tool', text: '2' }] satisfies Turn[],
      text: 'Mock answer from the tool result: 1, 2',
    },
  ])('$rule', ({ turns, text }) => {
    expect(compose(turns)).toMatchObject({ text, calls: [], end: 'stop' });
  });

  test.for([
    { rule: 'is the exact text', controls: { text: 'Exactly.' }, options: {}, want: { text: 'Exactly.' } },
    {
      rule: 'is padded',
      controls: { responseBytes: 40 },
      options: {},
      want: { text: `Mock answer to: Q${' mock'.repeat(5).slice(0, 23)}` },
    },
    {
      rule: 'is not shortened by padding',
      controls: { text: 'äöü', responseBytes: 2 },
      options: {},
      want: { text: 'äöü' },
    },
    {
      rule: 'ends before the earliest stop sequence',
      controls: { text: 'one two three' },
      options: { stop: ['three', ' two', ''] },
      want: { text: 'one', end: 'stop', stoppedBy: ' two' },
    },
    {
      rule: 'is cut at the limit of tokens',
      controls: { text: 'abcdefgh!' },
      options: { maxTokens: 2 },
      want: { text: 'abcdefgh', end: 'length', tokens: { prompt: 1, thinking: 0, completion: 2 } },
    },
    { rule: 'may just fit', controls: { text: 'abcdefgh' }, options: { maxTokens: 2 }, want: { end: 'stop' } },
    {
      rule: 'is JSON when that is asked for',
      controls: {},
      options: { json: {} },
      want: { text: '{"answer":"Mock answer to: Q"}' },
    },
    {
      rule: 'fits a schema',
      controls: {},
      options: { json: { schema: { properties: { query: {}, n: { type: 'integer' } } } } },
      want: { text: '{"query":"Q","n":1}' },
    },
  ])('$rule', ({ controls, options, want }) => {
    expect(compose([user('Q')], options, controls)).toMatchObject(want);
  });

  test('stays JSON when it is padded', () => {
    const { text } = compose([user('Q')], { json: {} }, { responseBytes: 500 });
    expect(Buffer.byteLength(text)).toBe(500);
    expect(JSON.parse(text)).toBeTypeOf('object');
  });

  test('counts thinking as completion', () => {
    const { thinking, text, tokens } = compose([user('Question')], { thinks: true });
    expect(tokens.thinking).toBe(countTokens(thinking.length));
    expect(tokens).toEqual({
      prompt: 2,
      thinking: tokens.thinking,
      completion: tokens.thinking + countTokens(text.length),
    });
  });

  test('does not give a very long text back', () => {
    expect(compose([user('x'.repeat(1_000_000))]).text.length).toBeLessThan(5_000);
  });
});

describe('tools', () => {
  const tools = [tool('get_weather'), tool('get_time')];
  test.for([
    { rule: 'the first one is called', text: 'Hi', options: {}, want: ['get_weather'] },
    { rule: 'the one that the user names is called', text: 'Use get_time now', options: {}, want: ['get_time'] },
    {
      rule: 'all that the user names are called',
      text: 'get_time, get_weather',
      options: {},
      want: ['get_weather', 'get_time'],
    },
    {
      rule: 'one is called when calls must not be parallel',
      text: 'get_time, get_weather',
      options: { parallelCalls: false },
      want: ['get_weather'],
    },
    { rule: 'a forced one is called', text: 'Hi', options: { toolChoice: { name: 'get_time' } }, want: ['get_time'] },
    {
      rule: 'a forced one that is not offered is not called',
      text: 'Hi',
      options: { toolChoice: { name: 'f' } },
      want: [],
    },
    {
      rule: 'none is called when none is asked for',
      text: 'get_time',
      options: { toolChoice: 'none' as const },
      want: [],
    },
  ])('$rule', ({ text, options, want }) => {
    const answer = compose([user(text)], { tools, ...options });
    expect(answer.calls.map((call) => call.name)).toEqual(want);
    expect(answer.end).toBe(want.length > 0 ? 'calls' : 'stop');
  });

  test('get arguments of their schema, as a value and as text', () => {
    const [call] = compose([user('Hi')], { tools }).calls;
    expect(call).toEqual({ name: 'get_weather', input: { city: 'Paris' }, json: '{"city":"Paris"}' });
  });

  test.for<{ rule: string; text: string; want: readonly object[] }>([
    {
      rule: 'get the object behind their name, whatever else is named',
      text: 'Of get_weather and get_time use get_time {"zone": {"name": "a } \\" b"}}, please',
      want: [{ name: 'get_time', input: { zone: { name: 'a } " b' } } }],
    },
    {
      rule: 'get one each',
      text: 'get_time {"a":1} get_weather   {}',
      want: [
        { name: 'get_weather', input: {}, json: '{}' },
        { name: 'get_time', input: { a: 1 } },
      ],
    },
    {
      rule: 'get what fits the schema when the object is none',
      text: 'get_weather {city: Rome} and get_time {"a": {',
      want: [
        { name: 'get_weather', input: { city: 'Paris' } },
        { name: 'get_time', input: { city: 'Paris' } },
      ],
    },
    {
      rule: 'are not taken for the end of another word',
      text: 'forget_time {"a":1} get_weather {"b":2}',
      want: [{ name: 'get_weather', input: { b: 2 } }],
    },
  ])('$rule', ({ text, want }) => {
    expect(compose([user(text)], { tools }).calls).toMatchObject(want);
  });

  test('are not called again after their result, whatever the choice', () => {
    const turns: Turn[] = [user('Hi'), { role: 'assistant', text: '' }, { role: 'tool', text: '18' }];
    expect(compose(turns, { tools, toolChoice: 'required' })).toMatchObject({ calls: [], end: 'stop' });
  });

  test('give way to an exact text unless a call is required', () => {
    const controls = { text: 'Fixed' };
    expect(compose([user('Hi')], { tools }, controls).text).toBe('Fixed');
    expect(compose([user('Hi')], { tools, toolChoice: 'required' }, controls).calls).toHaveLength(1);
  });
});

describe('pieces of a text', () => {
  const texts = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.constant('wörd 👋 '.repeat(2_000)));

  test('joined are the text, and none holds half a character', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), (text, size) => {
        for (const pieces of [splitPieces(text), splitEvenly(text, size)]) {
          expect(pieces.join('')).toBe(text);
          expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
        }
      }),
    );
  });

  test('are few, however long the text', () => {
    expect(splitPieces('a b '.repeat(250_000)).length).toBeLessThanOrEqual(1_001);
  });

  test('a cut text has at most so many tokens and whole characters', () => {
    fc.assert(
      fc.property(texts, fc.nat(20), (text, tokens) => {
        const cut = takeTokens(text, tokens);
        expect(countTokens(cut.length)).toBeLessThanOrEqual(tokens);
        expect(text.startsWith(cut) && cut.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('an embedding', () => {
  const cosine = (a: string, b: string): number => {
    const [left, right] = [embedText(a, 512), embedText(b, 512)];
    return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
  };

  test('is a unit vector of the wished size, always the same', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 600 }), (text, dimensions) => {
        const vector = embedText(text, dimensions);
        expect(vector.length).toBe(dimensions);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
        expect(embedText(text, dimensions)).toEqual(vector);
      }),
    );
  });

  test('is near for texts that share words and far for others', () => {
    expect(cosine('What is the capital of France?', 'what is the Capital of france')).toBeCloseTo(1, 4);
    expect(cosine('What is the capital of France?', 'Tell me the capital of France')).toBeGreaterThan(0.6);
    expect(cosine('What is the capital of France?', 'Bake bread with rye flour')).toBeLessThan(0.3);
  });
});
