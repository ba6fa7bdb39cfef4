import { describe, expect, test } from 'vitest';
import { verdictAtLeast, verdictAtMost } from './rows/verdict.ts';
import { formatNumber, type Row, renderTable } from './table.ts';

const cellsOf = (line = ''): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

describe('the table', () => {
  const rows: readonly Row[] = [
    { what: 'unary', peer: 'bare', requestsPerSecond: 16_123.4, p50Ms: 3.456, p99Ms: 10.25, rssMb: 120, cpuUs: 49.6 },
    {
      what: 'unary',
      peer: 'ours',
      verdicts: [
        { target: '≥ 70 %', measured: '71 %', met: true },
        { target: '≤ 3 ms', measured: '4 ms', met: false },
      ],
    },
    { what: 'unary', peer: 'gone', note: 'not installed' },
  ];
  const [heading, rule, ...lines] = renderTable(rows).split('\n');

  test('has a column for each number', () => {
    expect(cellsOf(heading)).toHaveLength(cellsOf(rule).length);
    expect(cellsOf(lines[0])).toEqual(['unary', 'bare', '16,123', '3.46', '10.3', '120', '49.6', '', '', '']);
  });

  test('gives every target of a row a line of its own', () => {
    expect(cellsOf(lines[1])).toEqual(['unary', 'ours', '', '', '', '', '', '71 %', '≥ 70 %', 'yes']);
    expect(cellsOf(lines[2])).toEqual(['', '', '', '', '', '', '', '4 ms', '≤ 3 ms', 'NO']);
  });

  test('shows why a peer is missing', () => {
    expect(cellsOf(lines[3])).toContain('not installed');
    expect(lines).toHaveLength(4);
  });

  test('is aligned', () => {
    expect(
      new Set(
        renderTable(rows)
          .split('\n')
          .map((line) => line.length),
      ).size,
    ).toBe(1);
  });
});

test.for([
  { value: undefined, want: '' },
  { value: 0, want: '0' },
  { value: 0.04567, want: '0.0457' },
  { value: 9.999, want: '10' },
  { value: 99.96, want: '100' },
  { value: 123.6, want: '124' },
  { value: 1_234_567.8, want: '1,234,568' },
])('$value is written as $want', ({ value, want }) => {
  expect(formatNumber(value)).toBe(want);
});

describe('a target', () => {
  const phrase = (number: string): string => `${number} MB`;
  test.for([
    { rule: 'at least: reached', verdict: verdictAtLeast(80, 80, phrase), want: { target: '≥ 80 MB', met: true } },
    { rule: 'at least: missed', verdict: verdictAtLeast(79, 80, phrase), want: { measured: '79 MB', met: false } },
    { rule: 'at most: kept', verdict: verdictAtMost(80, 80, phrase), want: { target: '≤ 80 MB', met: true } },
    { rule: 'at most: exceeded', verdict: verdictAtMost(81, 80, phrase), want: { measured: '81 MB', met: false } },
    { rule: 'no number meets nothing', verdict: verdictAtMost(Number.NaN, 80, phrase), want: { met: false } },
  ])('$rule', ({ verdict, want }) => {
    expect(verdict).toMatchObject(want);
  });
});
