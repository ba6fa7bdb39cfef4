import { describe, expect, test } from 'vitest';
import { EventQueue } from './event-queue.ts';
import { RestoringStream } from './restoring-stream.ts';

const done = (output_index: number, text: string): object => ({
  type: 'response.output_item.done',
  output_index,
  item: { type: 'mcp_call', output: text },
});
const bytesOf = (event: object): Buffer => Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
const outputOf = (sent: readonly Buffer[]): string => JSON.parse(Buffer.concat(sent).toString().slice(6)).item.output;

describe('texts that may be repeated', () => {
  const stream = () => new RestoringStream('responses', new Map([['[NAME_1]', 'Bo']]));

  test('are not kept while nothing of them is changed', () => {
    const restoring = stream();
    for (let i = 0; i < 50; i += 1) restoring.push(bytesOf(done(i, `${i} ${'x'.repeat(10_000)}`)));
    expect(restoring.heldBytes).toBe(0);
  });

  test('are known by what was changed in them, whose bytes are counted', () => {
    const restoring = stream();
    const text = `I am [NAME_1], ${'x'.repeat(10_000)}, yes, [NAME_1]!`;
    const said = text.replaceAll('[NAME_1]', 'Bo');
    expect(outputOf(restoring.push(bytesOf(done(0, text))))).toBe(said);
    expect(restoring.heldBytes).toBeGreaterThan(0);
    expect(restoring.heldBytes).toBeLessThan(1_000);
    expect(outputOf(restoring.push(bytesOf(done(0, text))))).toBe(said);
  });
});

describe('a whole text that differs from its pieces', () => {
  const slot = (text: string, isWhole: boolean) => {
    const data = { text };
    const write = (next: string): void => {
      data.text = next;
    };
    return { data, slots: [{ part: 'a', use: 'checked' as const, isWhole, text, write }], ends: [] };
  };
  const event = (data: object) => ({ raw: bytesOf(data), name: undefined, data: '' });
  const add = (queue: EventQueue, text: string, isWhole: boolean) => {
    const texts = slot(text, isWhole);
    return queue.add(event(texts.data), texts);
  };

  test('is a text of its own, which is awaited', () => {
    const queue = new EventQueue(new Set(['checked']), { repeats: true });
    for (const text of ['ab', 'cd']) add(queue, text, false);
    queue.release('a', { length: 1 });
    queue.release('a', { length: 2, text: '-' });
    queue.release('a', { length: 1 });
    expect(add(queue, 'abcd', true)).toEqual([]);
    const [other] = add(queue, 'abcd secret', true);
    expect(other).toMatchObject({ text: 'abcd secret', isAlone: true });
    expect(other?.part).not.toBe('a');
    expect(add(queue, 'abcd secret', true)).toEqual([]);
    expect(
      Buffer.concat(queue.take())
        .toString()
        .match(/"text":"[^"]*"/g),
    ).toEqual([...['"text":"a-"', '"text":"d"', '"text":"a-d"']]);
    queue.release(other?.part ?? '', { length: 11, text: 'abcd' });
    expect(
      Buffer.concat(queue.take())
        .toString()
        .match(/"text":"[^"]*"/g),
    ).toEqual([...['"text":"abcd"', '"text":"abcd"']]);
  });
});
