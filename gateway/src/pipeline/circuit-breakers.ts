/** The open circuit breakers of a plan, and the counts that attempts add to them; docs/behaviour/routing.md. */
import { isCacheHit } from '../record/index.ts';
import { breakerLeaves, breakerState, classifyForBreaker } from '../routing/index.ts';
import { type CircuitStore, circuitKey, type StoreBreaker } from '../store/index.ts';
import type { AttemptOutcome } from './attempt/index.ts';
import type { Caller } from './exchange.ts';
import type { Resolution } from './resolve/index.ts';

/** The store of the counts. One that fails reads as all closed. */
export interface CircuitBreakerPort {
  readonly circuits: CircuitStore;
  readonly storeBreaker: StoreBreaker;
}

interface Input {
  readonly caller: Caller;
  readonly resolution: Resolution;
}

/** Of a plan without breakers. */
export const NO_OPEN_CIRCUITS: ReadonlySet<string> = new Set();
/** An installation is one organisation. */
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
  // A client that left and an answer of the cache prove nothing about the target.
  if (leaf.breaker === undefined || error?.code === 'CLIENT_CLOSED' || isCacheHit(cacheStatus)) return;
  const outcome = classifyForBreaker(leaf.breaker, status);
  if (outcome === undefined) return;
  void storeBreaker.attempt(() => circuits.record(keyOf(input), leaf.path, outcome)); // never rejects
}
