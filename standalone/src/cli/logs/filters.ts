/** Which rows are asked for. */
import type { RestQuery } from '../../rest-client/index.ts';
import type { Invocation, Option } from '../command.ts';
import { UsageError } from '../shell.ts';

export const FILTER_OPTIONS: Readonly<Record<string, Option>> = {
  since: { value: 'TIME', summary: 'from this time on, or this long ago (30m, 2h, 7d)' },
  until: { value: 'TIME', summary: 'up to this time' },
  status: { value: 'STATUS,...', summary: 'with one of these statuses' },
  trace: { value: 'ID,...', summary: 'of these traces' },
  model: { value: 'PROVIDER__MODEL,...', summary: 'of these models' },
  config: { value: 'SLUG,...', summary: 'of these saved configs' },
};

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A hundred years. */
const MAX_MS = 36_500 * 86_400_000;

/** As the filters of the management API are named. Throws UsageError. */
export function filtersOf({ options }: Pick<Invocation, 'options'>, nowMs: number): RestQuery {
  return {
    time_of_generation_min: timeOf('since', options['since'], nowMs),
    time_of_generation_max: timeOf('until', options['until'], nowMs),
    status_code: options['status'],
    trace_id: options['trace'],
    ai_org_model: options['model'],
    configs: options['config'],
    workspace_slug: options['workspace'],
  };
}

function timeOf(name: string, text: string | undefined, nowMs: number): string | undefined {
  if (text === undefined) return undefined;
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ago = Number(count) * (UNIT_MS[unit] ?? 0);
  const ms = unit === '' ? Date.parse(text) : nowMs - ago;
  if (!Number.isNaN(ms) && ago <= MAX_MS) return new Date(ms).toISOString();
  throw new UsageError(`--${name} takes a time like 2026-01-31T12:00:00Z, or 30m, 2h, 7d, not ${text}`);
}

/** Throws UsageError. */
export function limitOf({ options }: Pick<Invocation, 'options'>, usual: number, most: number): number {
  const { limit = String(usual) } = options;
  const number = Number(limit);
  if (/^\d+$/.test(limit) && number >= 1 && number <= most) return number;
  throw new UsageError(`--limit takes a number from 1 to ${most}, not ${limit}`);
}
