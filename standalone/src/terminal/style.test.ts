import { describe, expect, test } from 'vitest';
import { createStyle, hasColours } from './style.ts';

describe('colours', () => {
  test.for([
    { rule: 'a terminal', isTerminal: true, variables: {}, want: true },
    { rule: 'a terminal whose NO_COLOR is empty', isTerminal: true, variables: { NO_COLOR: '' }, want: true },
    { rule: 'no terminal with NO_COLOR', isTerminal: true, variables: { NO_COLOR: '1' }, want: false },
    { rule: 'no terminal that has none', isTerminal: true, variables: { TERM: 'dumb' }, want: false },
    { rule: 'no file', isTerminal: false, variables: { TERM: 'xterm' }, want: false },
  ])('are for $rule', ({ isTerminal, variables, want }) => {
    expect(hasColours(isTerminal, variables)).toBe(want);
  });

  test('are codes around the text, and nothing where they are off', () => {
    expect(createStyle(true).red('no')).toBe('\u001b[31mno\u001b[39m');
    expect(createStyle(true).red('')).toBe('');
    expect(createStyle(false).red('no')).toBe('no');
  });
});
