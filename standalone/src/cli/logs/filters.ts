/** Which rows are asked for. */
import type { RestQuery } from '../../rest-client/index.ts';
import type { Invocation, Option } from '../command.ts';
import { UsageError } from '../shell.ts';
import { timeOf } from '../times.ts';

export const FILTER_OPTIONS: Readonly<Record<string, Option>> = {
  since: { value: 'TIME', summary: 'from this time on, or this long ago (30m, 2h, 7d)' },
  until: { value: 'TIME', summary: 'up to this time' },
  status: { value: 'STATUS,...', summary: 'with one of these statuses' },
  trace: { value: 'ID,...', summary: 'of these traces' },
  model: { value: 'PROVIDER__MODEL,...', summary: 'of these models' },
  config: { value: 'SLUG,...', summary: 'of these saved configs' },
};

/** As the filters of the management API are named. Throws UsageError. */
export function filtersOf({ options }: Pick<Invocation, 'options'>, nowMs: number): RestQuery {
  return {
    time_of_generation_min: isoOf(timeOf('since', options['since'], nowMs)),
    time_of_generation_max: isoOf(timeOf('until', options['until'], nowMs)),
    status_code: options['status'],
    trace_id: options['trace'],
    ai_org_model: options['model'],
    configs: options['config'],
    workspace_slug: options['workspace'],
  };
}

const isoOf = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();

/** Throws UsageError. */
export function limitOf({ options }: Pick<Invocation, 'options'>, usual: number, most: number): number {
  const { limit = String(usual) } = options;
  const number = Number(limit);
  if (/^\d+$/.test(limit) && number >= 1 && number <= most) return number;
  throw new UsageError(`--limit takes a number from 1 to ${most}, not ${limit}`);
}
