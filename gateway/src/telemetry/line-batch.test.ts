import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { batchLines } from './line-batch.ts';

function open() {
  const written: string[] = [];
  return { written, lines: batchLines((text) => void written.push(text)) };
}

describe('log lines', () => {
  test('of one turn are written together, at its end', async () => {
    const { written, lines } = open();
    lines.write('a\n');
    lines.write('b\n');
    expect(written).toEqual([]);
    await nextTurn();
    expect(written).toEqual(['a\nb\n']);
    lines.write('c\n');
    await nextTurn();
    expect(written).toEqual(['a\nb\n', 'c\n']);
  });

  test('are written at once when there are many, or on flush', async () => {
    const { written, lines } = open();
    lines.write('x'.repeat(100_000));
    expect(written).toHaveLength(1);
    lines.write('y');
    lines.flush();
    lines.flush();
    expect(written).toHaveLength(2);
    await nextTurn();
    expect(written).toHaveLength(2);
  });
});
