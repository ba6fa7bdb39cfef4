/** What all graphs share. */
import type { LogFilter, LogReader, Sum, SumOptions, TimeWidth } from '../../logs/index.ts';
import type { RestCall, Services } from '../family.ts';
import { type FilterQuery, filterOf, logsOf } from '../logs/index.ts';
import { everySpan, timestamp, widthOf } from './spans.ts';

export interface Question {
  readonly reader: LogReader;
  readonly filter: LogFilter;
  readonly width: TimeWidth;
}

export interface FilteredCall {
  readonly caller: RestCall['caller'];
  readonly query: FilterQuery;
}

export async function questionOf(call: FilteredCall, services: Services): Promise<Question> {
  const { reader } = logsOf(services);
  const filter = await filterOf(call, services);
  return { reader, filter, width: widthOf(filter) };
}

/** The sums of a graph, by spans of time. */
export const sumsOf = async (
  { reader, filter, width }: Question,
  options: Omit<SumOptions, 'page' | 'width'>,
): Promise<readonly Sum[]> => (await reader.sum(filter, { ...options, width })).sums;

export const graph = <Summary, Point>(summary: Summary, data_points: Point[]) => ({
  ...{ object: 'analytics-graph' as const, summary, data_points },
});

/** A graph whose points have the same members as its summary, each made of the sums that it is about. */
export const graphOf = <T extends { readonly time: number }, Members extends object>(
  sums: readonly T[],
  width: TimeWidth,
  members: (sums: readonly T[]) => Members,
) =>
  graph(
    members(sums),
    everySpan(sums, width, (time, ofSpan) => ({ timestamp: timestamp(time), ...members(ofSpan) })),
  );
