import { readEnvironment, toSettings } from '@gatehouse/gateway';
import { describe, expect, test } from 'vitest';
import { logChoiceOf, withLog } from './log-output.ts';

const levelOf = (level: string, isQuiet: boolean): string =>
  withLog(toSettings(readEnvironment({ GATEHOUSE_LOG_LEVEL: level })), { isText: true, isQuiet }).logLevel;

describe('the log', () => {
  test.for([
    { rule: 'for people at a terminal', options: {}, interactive: true, isText: true },
    { rule: 'for programs elsewhere', options: {}, interactive: false, isText: false },
    {
      rule: 'for programs at a terminal, when asked',
      options: { 'log-format': 'json' },
      interactive: true,
      isText: false,
    },
    { rule: 'for people elsewhere, when asked', options: { 'log-format': 'text' }, interactive: false, isText: true },
  ])('is $rule', ({ options, interactive, isText }) => {
    expect(logChoiceOf(options, { interactive })).toEqual({ isText, isQuiet: false });
  });

  test('has no lines of requests when it is quiet, and never more than the level says', () => {
    expect(logChoiceOf({ quiet: 'true' }, { interactive: true }).isQuiet).toBe(true);
    expect(['debug', 'info', 'warn', 'error', 'silent'].map((level) => levelOf(level, true))).toEqual([
      ...['warn', 'warn', 'warn', 'error', 'silent'],
    ]);
    expect(levelOf('debug', false)).toBe('debug');
  });

  test('says why requests failed only where people read it', () => {
    const settings = toSettings(readEnvironment({}));
    expect(withLog(settings, { isText: true, isQuiet: false }).logReasons).toBe(true);
    expect(withLog(settings, { isText: false, isQuiet: false }).logReasons).toBe(false);
  });
});
