import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CheckAnswer } from '../../../contract.ts';
import { outcomeOf, runCheck, subjectOf } from '../../../testing.ts';

const check = (parameters: object, parts: readonly string[], over: Parameters<typeof subjectOf>[1] = {}) =>
  runCheck('default.pii', parameters, subjectOf(parts, over));

const partsOf = ({ transformed }: CheckAnswer) => (transformed?.kind === 'parts' ? transformed.parts : undefined);
const restorableOf = ({ transformed }: CheckAnswer) =>
  (transformed?.kind === 'parts' ? transformed.restore : undefined) ?? new Map<string, string>();

/** Every placeholder of the map by its value, each place once. */
const restore = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(/\[[A-Z_]+_\d+\]/g, (placeholder) => values.get(placeholder) ?? placeholder);

describe('default.pii', () => {
  test.for([
    ['nothing personal', {}, 'The weather in Ghent is fine.', 'T'],
    ['an email address', {}, 'write to jane@example.com', 'F'],
    ['a category that is not looked for', { categories: ['IBAN'] }, 'write to jane@example.com', 'T'],
    ['a value that is allowed', { allow: ['Support@Example.com'] }, 'write to support@example.com', 'T'],
    ['a domain that is allowed', { allow: ['@example.com'] }, 'write to jane@example.com', 'T'],
    ['another domain than the one that is allowed', { allow: ['@example.com'] }, 'jane@sub.example.com', 'F'],
    ['turned, nothing found', { not: true }, 'nothing', 'F'],
    ['turned, something found', { not: true }, 'jane@example.com', 'T'],
    ['an empty text', {}, '', 'T'],
    ['an id of a country that is not looked for', { countries: ['US'] }, 'DNI 12345678Z', 'T'],
    ['an id of a country that is looked for', { countries: ['ES'] }, 'DNI 12345678Z', 'F'],
    ['hidden characters inside a value', {}, 'jane\u200b@exam\u00adple.com', 'F'],
    ['full-width digits', {}, 'card ４１１１ １１１１ １１１１ １１１１', 'F'],
    ['redacted', { redact: true }, 'jane@example.com', 'T'],
  ] as const)('%s', async ([, parameters, text, expected]) => {
    expect(outcomeOf(await check(parameters, [text]))).toBe(expected);
  });

  test('says what it found and how often, and never the values', async () => {
    const { data } = await check({}, ['jane@example.com and joe@example.com, 10.1.2.3']);
    expect(data).toMatchObject({
      detectedCategories: ['EMAIL_ADDRESS', 'IP_ADDRESS'],
      counts: { EMAIL_ADDRESS: 2, IP_ADDRESS: 1 },
    });
    expect(JSON.stringify(data)).not.toMatch(/jane|10\.1/);
  });
});

describe('redaction', () => {
  test('gives a value the same placeholder wherever it occurs, and others the next', async () => {
    const answer = await check({ redact: true }, ['a@example.com b@example.com', '', 'b@example.com', 'none']);
    expect(partsOf(answer)).toEqual(['[EMAIL_ADDRESS_1] [EMAIL_ADDRESS_2]', undefined, '[EMAIL_ADDRESS_2]', undefined]);
    expect(restorableOf(answer).size).toBe(0);
  });

  test('hands over what to restore when asked to', async () => {
    const answer = await check({ redact: true, restore: true }, ['a@example.com']);
    expect([...restorableOf(answer)]).toEqual([['[EMAIL_ADDRESS_1]', 'a@example.com']]);
  });

  test('restores nothing in answers', async () => {
    const over = { phase: 'output', response: {} } as const;
    expect(restorableOf(await check({ redact: true, restore: true }, ['a@example.com'], over)).size).toBe(0);
  });

  test('never uses a placeholder that stands anywhere in the request or in the answer', async () => {
    const over = {
      phase: 'output',
      request: { messages: [{ role: 'system', content: 'sign as [EMAIL_ADDRESS_1]' }] },
      response: { choices: [{ message: { content: 'see [EMAIL_ADDRESS_2]' } }] },
    } as const;
    const answer = await check({ redact: true }, ['a@example.com [EMAIL_ADDRESS_3]'], over);
    expect(partsOf(answer)).toEqual(['[EMAIL_ADDRESS_4] [EMAIL_ADDRESS_3]']);
  });

  test('changes nothing where nothing is found', async () => {
    expect((await check({ redact: true }, ['fine'])).transformed).toBeUndefined();
  });

  test('is not restored without it', () => {
    return expect(check({ restore: true }, ['a'])).rejects.toThrow(/restore needs redact/);
  });
});

const PIECES = [
  ...['a@b.co', '+49 30 901820', '(415) 555-0123', '4111 1111 1111 1111', 'DE89 3704 0044 0532 0130 00', '123-45-6789'],
  ...[
    '12345678Z',
    '10.1.2.3',
    '2001:db8::1',
    `${'AKIA'}IOSFODNN7EXAMPLE`,
    'https://u:p@h.example/',
    '[EMAIL_ADDRESS_1]',
  ],
  ...[
    'tel ',
    'bsn ',
    '111222333',
    '00',
    '+',
    '@',
    '.',
    '-',
    ' ',
    '(',
    ')',
    '[',
    ']',
    '\u200b',
    'é',
    'x',
    '1',
    '7',
    '0 ',
  ],
];
const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''));

describe('any text', () => {
  test('is what it was when its placeholders are restored', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(texts, fc.string()), async (text) => {
        const answer = await check({ redact: true, restore: true }, [text]);
        expect(restore(partsOf(answer)?.[0] ?? text, restorableOf(answer))).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  test('has nothing personal left when it was redacted', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const redacted = partsOf(await check({ redact: true }, [text]))?.[0] ?? text;
        expect((await check({}, [redacted])).data).toMatchObject({ counts: {} });
      }),
      { numRuns: 2_000 },
    );
  });
});
