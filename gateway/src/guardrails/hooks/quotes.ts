/** Results for a client that does not get the text which was checked: docs/behaviour/guardrails.md#outcomes. */
import { isObject } from '@gatehouse/crds';
import { type CheckResult, checkResult, type RanCheck } from './run-check.ts';
import { type HookResult, hookResult, type RanHook } from './run-hook.ts';

/** Without what may quote the text. */
export const withoutQuotes = (ran: RanHook): HookResult => hookResult(ran, unquoted);

function unquoted(ran: RanCheck): CheckResult {
  const { entry } = ran.check;
  const check = checkResult(ran);
  const quotes = entry.quotes ?? (entry.callsOut === true ? 'all' : NONE);
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
