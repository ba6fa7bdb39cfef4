/** Results for a client that does not get the text which was checked: docs/behaviour/guardrails.md#outcomes. */
import { isObject } from '@gatehouse/crds';
import type { CheckEntry } from '@gatehouse/crds/guardrails';
import type { CheckResult } from './run-check.ts';
import type { HookResult, RanHook } from './run-hook.ts';

/** Without what may quote the text. */
export function withoutQuotes({ hook, result }: RanHook): HookResult {
  const entries = new Map(hook.checks.map(({ entry }) => [entry.id, entry]));
  return { ...result, checks: result.checks.map((check) => unquoted(check, entries.get(check.id))) };
}

function unquoted(check: CheckResult, entry: CheckEntry | undefined): CheckResult {
  const quotes = entry?.quotes ?? (entry?.callsOut === true ? 'all' : NONE);
  if (quotes !== 'all') return quotes.length === 0 ? check : { ...check, data: without(check.data, quotes) };
  const { error } = check;
  return {
    ...check,
    data: null,
    log: null,
    ...(error === undefined ? {} : { error: { name: error.name, message: 'The message may quote the text' } }),
  };
}

const NONE: readonly string[] = [];

const without = (data: unknown, names: readonly string[]): unknown =>
  isObject(data) ? Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name))) : null;
