/** The headers about rates: of all limits that were asked, the nearest to its end for requests, and that for tokens. */
import { type Demand, WINDOW_MS, type WindowState } from '../../limits/index.ts';
import { ownerOf } from './owner.ts';

/** What is the same for all requests with the same limits. */
interface ShownLimit {
  /** Where its latest state is. */
  readonly list: number;
  readonly index: number;
  readonly limit: number;
  /** Its part of `RateLimit-Policy`, and the beginning of that of `RateLimit`. */
  readonly policy: string;
  readonly prefix: string;
}

interface HeaderPlan {
  readonly requests: readonly ShownLimit[];
  readonly tokens: readonly ShownLimit[];
}

export interface RateHeaders {
  readonly policies: string;
  readonly limits: string;
}

/** `lists`: what was asked, one after the other; `windows`: the state of each. Undefined: there is no state. */
export function rateHeaders(
  lists: readonly Demands[],
  windows: readonly (readonly WindowState[])[],
): RateHeaders | undefined {
  const { requests, tokens } = headerPlanOf(lists);
  const first = nearest(requests, windows);
  const second = nearest(tokens, windows);
  if (first === undefined || second === undefined) return first ?? second;
  return { policies: `${first.policies}, ${second.policies}`, limits: `${first.limits}, ${second.limits}` };
}

/** The one with the smallest share left. */
function nearest(shown: readonly ShownLimit[], windows: readonly (readonly WindowState[])[]): RateHeaders | undefined {
  let least = Number.POSITIVE_INFINITY;
  let found: ShownLimit | undefined;
  let state: WindowState | undefined;
  for (const one of shown) {
    const now = windows[one.list]?.[one.index];
    if (now === undefined || now.remaining / one.limit >= least) continue;
    least = now.remaining / one.limit;
    found = one;
    state = now;
  }
  if (found === undefined || state === undefined) return undefined;
  const limits = `${found.prefix}${state.remaining};t=${Math.ceil(state.resetMs / 1_000)}`;
  return { policies: found.policy, limits };
}

type Demands = readonly Demand[];

// A memo of a pure function: lists belong to Snapshots and serve many requests.
const memo = new WeakMap<Demands, { readonly first: Demands | undefined; readonly plan: HeaderPlan }>();

function headerPlanOf(lists: readonly Demands[]): HeaderPlan {
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
  const units = { requests: new Map<string, ShownLimit>(), tokens: new Map<string, ShownLimit>() };
  lists.forEach((demands, list) => {
    demands.forEach((demand, index) => {
      const { limit, unit, window } = demand;
      const name = `"${nameOf(demand)}"`;
      const policy = `${name};q=${limit};w=${WINDOW_MS[window] / 1_000}${unit === 'requests' ? '' : `;qu="${unit}"`}`;
      units[unit].set(limitId(demand), { list, index, limit, policy, prefix: `${name};r=` });
    });
  });
  return { requests: [...units.requests.values()], tokens: [...units.tokens.values()] };
}

/** A name of the limit for clients: the caller knows its key and workspace, other owners are named. */
function nameOf(demand: Demand): string {
  const { kind, name } = ownerOf(demand.subject);
  const owner = kind === 'key' || kind === 'workspace' ? kind : `${kind}-${name}`;
  return `${owner}-${demand.unit}-${demand.window}`;
}
