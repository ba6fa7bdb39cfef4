/** Which targets a circuit breaker keeps open, and what an attempt does to their counts; behaviour-config-routing 5.6. */
import { breakerLeaves, breakerState, classifyForBreaker } from '../routing/index.ts';
import { type CircuitStore, circuitKey, type StoreBreaker } from '../store/index.ts';
import type { AttemptOutcome } from './attempt/index.ts';
import type { Caller } from './exchange.ts';
import type { Resolution } from './resolve/index.ts';

/** Where the counts are. A store that fails reads as all closed. */
export interface CircuitBreakerPort {
  readonly circuits: CircuitStore;
  readonly storeBreaker: StoreBreaker;
}

interface Input {
  readonly caller: Caller;
  readonly resolution: Resolution;
}

/** What is open of a plan without breakers. */
export const NO_OPEN_CIRCUITS: ReadonlySet<string> = new Set();
/** The installation is the organisation (DESIGN section 4). */
const ORGANISATION = 'default';

const keyOf = ({ caller, resolution: { plan } }: Input): string =>
  circuitKey({
    organisation: ORGANISATION,
    workspace: caller.workspace.name,
    slug: plan.slug ?? '',
    version: plan.version ?? '',
  });

/** The paths of the leaves that are open now. */
export async function openCircuits(
  { circuits, storeBreaker }: CircuitBreakerPort,
  input: Input,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const { plan } = input.resolution;
  if (!plan.hasBreaker) return NO_OPEN_CIRCUITS;
  const key = keyOf(input);
  const records = await storeBreaker.attempt(() => circuits.read(key));
  if (!records.ok || records.value.size === 0) return NO_OPEN_CIRCUITS;
  const open = new Set<string>();
  for (const { path, breaker } of breakerLeaves(plan)) {
    const known = records.value.get(path);
    if (known === undefined) continue;
    const state = breakerState(breaker, known, nowMs);
    if (state === 'open') open.add(path);
    if (state === 'elapsed') void storeBreaker.attempt(() => circuits.clear(key, path)); // never rejects
  }
  return open;
}

/** Counts an attempt in the background. */
export function recordCircuit(
  { circuits, storeBreaker }: CircuitBreakerPort,
  input: Input,
  { leaf, status, error, cacheStatus }: AttemptOutcome,
): void {
  // Neither a client that left nor an earlier answer says anything about the target.
  if (leaf.breaker === undefined || error?.code === 'CLIENT_CLOSED' || cacheStatus === 'HIT') return;
  const outcome = classifyForBreaker(leaf.breaker, status);
  if (outcome === undefined) return;
  void storeBreaker.attempt(() => circuits.record(keyOf(input), leaf.path, outcome)); // never rejects
}
