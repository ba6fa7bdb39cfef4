import { expect, test } from 'vitest';
import { DocumentLine } from './document-line.ts';

test('documents leave the line in the order in which they came', () => {
  const line = new DocumentLine();
  const left: string[] = [];
  const take = (): void => {
    const document = line.take();
    if (document !== undefined) left.push(document.key);
  };
  const keys = Array.from({ length: 100 }, (_, at) => String(at));
  for (const [at, key] of keys.entries()) {
    line.add({ key, bytes: Buffer.alloc(0), keptUntilMs: undefined });
    if (at % 3 > 0) take();
  }
  for (let at = 0; at < 10; at += 1) take();
  left.push(...line.takeAll().map(({ key }) => key));
  expect(left).toEqual(keys);
  expect([line.take(), line.takeAll()]).toEqual([undefined, []]);
});
