import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import { checkedForm } from './form-models.ts';
import type { FormModelRule } from './model-allow-list.ts';

const refusal = (problem: string): AppError => new AppError('MODEL_NOT_ALLOWED', { param: 'model', detail: problem });
const RULE: FormModelRule = {
  admit: (model) => {
    if (model !== 'small') throw refusal(`not ${model}`);
  },
  refusal,
};

const part = (name: string, content: string, more = ''): string =>
  `--x\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
const FILE = part('file', 'sound'.repeat(100), '; filename="a"');
const GOOD = `${part('language', 'en')}${part('model', 'small')}${FILE}${part('prompt', '{ no JSON')}--x--\r\n`;

/** A body of these pieces that can be opened as often as it is replayable. */
function form(pieces: readonly Buffer[], replayable = true) {
  let opened = 0;
  const open = (): Readable => {
    opened += 1;
    if (opened > 1 && !replayable) throw new AppError('INTERNAL');
    return Readable.from(pieces, { objectMode: false });
  };
  return { kind: 'form', contentType: '', boundary: 'x', source: { open, bytes: 7, replayable } } as const;
}

const piecesOf = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
};

describe('a form with a listed model', () => {
  test('goes through byte for byte, however it is cut, and again for a retry', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: GOOD.length }), async (size) => {
        const { source } = await checkedForm(form(piecesOf(GOOD, size)), RULE);
        expect((await buffer(source.open())).toString()).toBe(GOOD);
        expect((await buffer(source.open())).toString()).toBe(GOOD);
        expect(source.bytes).toBe(7);
      }),
    );
  });

  test('can be sent once when its body can be read once only', async () => {
    const { source } = await checkedForm(form(piecesOf(GOOD, 10), false), RULE);
    expect(source.replayable).toBe(false);
    expect((await buffer(source.open())).toString()).toBe(GOOD);
    expect(() => source.open()).toThrow(AppError);
  });

  test('that names another one later breaks off before that, on each try', async () => {
    const text = GOOD.replace('--x--', `${part('model', 'large')}--x--`);
    const { source } = await checkedForm(form(piecesOf(text, 1)), RULE);
    for (let tries = 0; tries < 2; tries += 1) {
      let sent = '';
      const reading = (async () => {
        for await (const bytes of source.open()) sent += String(bytes);
      })();
      await expect(reading).rejects.toMatchObject({ code: 'MODEL_NOT_ALLOWED' });
      expect(sent).not.toContain('large\r\n--x');
    }
  });

  test('that ends early breaks off', async () => {
    const { source } = await checkedForm(form(piecesOf(GOOD.slice(0, -6), 100)), RULE);
    await expect(buffer(source.open())).rejects.toMatchObject({ code: 'MODEL_NOT_ALLOWED' });
  });
});

test.for([
  { rule: 'another model', text: part('model', 'large') },
  { rule: 'its model behind a file', text: FILE + part('model', 'small') },
  { rule: 'no model', text: `${part('language', 'en')}--x--` },
  { rule: 'its model far behind', text: part('a', 'x'.repeat(70_000)) + part('model', 'small') },
  { rule: 'no end of its first field', text: part('model', 'small').slice(0, -4) },
])('a form with $rule is refused before anything is sent', async ({ text }) => {
  await expect(checkedForm(form(piecesOf(text, 1_000)), RULE)).rejects.toMatchObject({
    code: 'MODEL_NOT_ALLOWED',
    param: 'model',
  });
});
