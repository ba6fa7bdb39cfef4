/** How often the semantic cache is right on the labelled pairs, and the table of it in docs/behaviour/caching.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chatPromptOf, createMemoryVectors, toUnit } from '../../gateway/src/cache/index.ts';
import { embedText } from '../../standalone/src/mock-provider/answer/index.ts';
import { SIMILAR_PROMPTS } from '../labelled/similar-prompts.ts';
import { ROOT } from './documents.ts';

const PAGE = `${ROOT}docs/behaviour/caching.md`;
const PERCENTS = [80, 85, 90, 95, 98];
const DIMENSIONS = 1_536;

/** As a look-up has it: the text of a chat with one message. */
function vectorOf(content: string): Float32Array {
  const text = chatPromptOf({ messages: [{ role: 'user', content }] })?.text ?? '';
  const vector = toUnit([...embedText(text, DIMENSIONS)]);
  if (vector === undefined) throw new Error('no direction');
  return vector;
}

async function isHit(one: string, other: string, percent: number): Promise<boolean> {
  const vectors = createMemoryVectors({ now: () => 0, maxBytes: 1_000_000 });
  vectors.set('p', { key: 'one', vector: vectorOf(one), ttlSeconds: 60 });
  return (await vectors.nearest('p', vectorOf(other), percent / 100)) !== undefined;
}

async function measure(percent: number) {
  const row = { percent, right: 0, wrong: 0, missed: 0 };
  for (const { one, other, isSame } of SIMILAR_PROMPTS) {
    const hit = await isHit(one, other, percent);
    if (hit && isSame) row.right += 1;
    else if (hit) row.wrong += 1;
    else if (isSame) row.missed += 1;
  }
  return row;
}

const rows = await Promise.all(PERCENTS.map(measure));

const cell = (share: number): string => (Number.isNaN(share) ? '–' : `${Math.round(share * 100)} %`);

function table(): string {
  const cells = rows.map(({ percent, right, wrong, missed }) => [
    `${percent}`,
    `${right}`,
    `${wrong}`,
    `${missed}`,
    cell(right / (right + wrong)),
    cell(right / (right + missed)),
  ]);
  const headings = ['`similarityPercent`', 'right', 'wrong', 'missed', 'precision', 'recall'];
  const widths = headings.map((heading, at) => Math.max(heading.length, ...cells.map((line) => line[at]?.length ?? 0)));
  const line = (each: readonly string[]) => `| ${each.map((text, at) => text.padStart(widths[at] ?? 0)).join(' | ')} |`;
  return [line(headings), line(widths.map((width) => `${'-'.repeat(width - 1)}:`)), ...cells.map(line)].join('\n');
}

test('the set has as many pairs of both kinds', () => {
  expect(SIMILAR_PROMPTS.filter(({ isSame }) => isSame)).toHaveLength(30);
  expect(SIMILAR_PROMPTS.filter(({ isSame }) => !isSame)).toHaveLength(30);
  expect(SIMILAR_PROMPTS.every(({ one, other }) => one !== '' && other !== '')).toBe(true);
});

test('a higher threshold is never more often wrong', () => {
  const wrong = rows.map((row) => row.wrong);
  expect(wrong).toEqual(wrong.toSorted((a, b) => b - a));
  expect(rows.at(-1)?.right).toBeGreaterThan(0);
});

test('the page has what was measured', () => {
  const text = readFileSync(PAGE, 'utf8');
  const part = /(<!-- measured: similar prompts -->\n\n)[\s\S]*?(\n\n<!-- end -->)/;
  const next = text.replace(part, `$1${table().replaceAll('$', '$$$$')}$2`);
  if (process.env['UPDATE'] === '1') writeFileSync(PAGE, next);
  expect(next).toMatch(part);
  expect(text).toBe(next);
});
