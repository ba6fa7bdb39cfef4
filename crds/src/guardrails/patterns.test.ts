import { describe, expect, test } from 'vitest';
import { checkConfig, DEFAULT_TARGET_CAPS } from '../config/index.ts';
import { createPatternBudget, MAX_CONFIG_PATTERN_SIZE, MAX_PATTERN_SIZE } from '../patterns/index.ts';
import { parseCheck } from './parse-check.ts';

const regexMatch = (rule: string) => ({ id: 'default.regexMatch', parameters: { rule } });

describe('patterns of checks', () => {
  test('are refused with their path and the reason', () => {
    expect(parseCheck(regexMatch('(?=a)'), { path: ['checks', 0], literalCredentials: false })).toMatchObject({
      ok: false,
      error: [
        { path: ['checks', 0, 'parameters', 'rule'], message: expect.stringContaining('not a valid RE2 pattern') },
      ],
    });
  });

  test('count in the budget of a config, with those of its conditions', () => {
    const rule = 'a{900}';
    const most = Math.floor(MAX_CONFIG_PATTERN_SIZE / MAX_PATTERN_SIZE) + 1;
    const config = (checks: number) => ({
      provider: 'openai',
      inputGuardrails: [{ checks: Array.from({ length: checks }, () => regexMatch(rule)) }],
    });
    const messages = (checks: number) =>
      checkConfig(config(checks), { caps: DEFAULT_TARGET_CAPS, saved: false }).map(({ message }) => message);
    expect(messages(most - 1)).not.toContainEqual(expect.stringContaining('steps together'));
    expect(messages(most + 1)).toContainEqual(expect.stringContaining('steps together'));
  });

  test('take their size from the budget that the checks of a document share', () => {
    const patterns = createPatternBudget();
    parseCheck(regexMatch('abc'), { path: [], literalCredentials: false, patterns });
    expect(patterns.left).toBe(MAX_CONFIG_PATTERN_SIZE - 10);
  });

  test('are not compiled once the budget is used up, nor where they were checked before', () => {
    const options = { path: [], literalCredentials: false };
    const broken = regexMatch('(?=a)');
    expect(parseCheck(broken, { ...options, patterns: 'checked' }).ok).toBe(true);
    const usedUp = parseCheck(broken, { ...options, patterns: { left: 5 } });
    expect(usedUp).toMatchObject({ ok: false, error: [{ message: expect.stringContaining('steps together') }] });
  });
});
