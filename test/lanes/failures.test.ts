import { expect, test } from 'vitest';
import { commandFailure, formatFailures, readFailures } from './failures.ts';

const failed = (fullName: string, message: string) => ({ fullName, status: 'failed', failureMessages: [message] });
const passed = (fullName: string) => ({ fullName, status: 'passed', failureMessages: [] });

test('reads failed tests with their file, and leaves passed ones out', () => {
  const report = {
    testResults: [
      { name: '/w/a.test.ts', status: 'failed', assertionResults: [passed('starts'), failed('ends', 'not ended')] },
      { name: '/w/b.test.ts', status: 'passed', assertionResults: [passed('begins')] },
    ],
  };
  expect(readFailures(report, '/w')).toEqual([{ test: 'a.test.ts > ends', message: 'not ended' }]);
});

test('reads a file that failed before its tests could run', () => {
  const report = {
    testResults: [{ name: '/w/a.test.ts', status: 'failed', message: 'SyntaxError', assertionResults: [] }],
  };
  expect(readFailures(report, '/w')).toEqual([{ test: 'a.test.ts', message: 'SyntaxError' }]);
});

test('prints the first six lines of each message, without colours, blank lines and frames of dependencies', () => {
  const frame = '    at new Promise (<anonymous>)';
  const message = [
    '\u001b[31mexpected 1\u001b[39m',
    '',
    frame,
    ...Array.from({ length: 9 }, (_, i) => `line ${i}`),
  ].join('\n');
  const other = { test: 'b', message: 'x'.repeat(500) };
  expect(formatFailures([{ test: 'a', message }, other])).toEqual([
    '  a',
    ...['expected 1', 'line 0', 'line 1', 'line 2', 'line 3', 'line 4'].map((line) => `    ${line}`),
    '  b',
    `    ${'x'.repeat(200)}`,
  ]);
});

test('prints 20 tests and counts the rest', () => {
  const failures = Array.from({ length: 23 }, (_, i) => ({ test: `t${i}`, message: '' }));
  expect(formatFailures(failures)).toEqual([...Array.from({ length: 20 }, (_, i) => `  t${i}`), '  and 3 more']);
});

test('keeps the last 20 lines of the output of a failed command', () => {
  const output = Array.from({ length: 50 }, (_, i) => `line ${i}`).join('\n');
  const lines = formatFailures([commandFailure(output)]);
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toBe('    line 49');
});
