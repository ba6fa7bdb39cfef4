/** The parts of `RateLimit` headers that are the same for all requests with the same limits. */
import { type Demand, WINDOW_MS } from '../../limits/index.ts';
import { ownerOf } from './owner.ts';

export interface HeaderPlan {
  /** `RateLimit-Policy` */
  readonly policies: string;
  /** Where the latest state of each limit is, and how its part of `RateLimit` begins. */
  readonly limits: readonly { readonly list: number; readonly index: number; readonly prefix: string }[];
}

type Demands = readonly Demand[];

// A memo of a pure function: lists belong to Snapshots and serve many requests.
const memo = new WeakMap<Demands, { readonly first: Demands | undefined; readonly plan: HeaderPlan }>();

/** Of the lists that were asked for, one after the other. */
export function headerPlanOf(lists: readonly Demands[]): HeaderPlan {
  const last = lists.at(-1) ?? [];
  if (lists.length > 2) return makePlan(lists);
  const first = lists.length === 2 ? lists[0] : undefined;
  const known = memo.get(last);
  if (known !== undefined && known.first === first) return known.plan;
  const plan = makePlan(lists);
  memo.set(last, { first, plan });
  return plan;
}

/** A subject has one of each unit and window at most. */
export const limitId = ({ subject, unit, window }: Demand): string => `${subject} ${unit} ${window}`;

function makePlan(lists: readonly Demands[]): HeaderPlan {
  const policies = new Map<string, string>();
  const limits = new Map<string, HeaderPlan['limits'][number]>();
  lists.forEach((demands, list) => {
    demands.forEach((demand, index) => {
      const id = limitId(demand);
      const name = `"${nameOf(demand)}"`;
      const unit = demand.unit === 'requests' ? '' : `;qu="${demand.unit}"`;
      policies.set(id, `${name};q=${demand.limit};w=${WINDOW_MS[demand.window] / 1_000}${unit}`);
      limits.set(id, { list, index, prefix: `${name};r=` });
    });
  });
  return { policies: [...policies.values()].join(', '), limits: [...limits.values()] };
}

/** A name of the limit for clients: the caller knows its key and workspace, other owners are named. */
function nameOf(demand: Demand): string {
  const { kind, name } = ownerOf(demand.subject);
  const owner = kind === 'key' || kind === 'workspace' ? kind : `${kind}-${name}`;
  return `${owner}-${demand.unit}-${demand.window}`;
}
