/** Whether the operator may run gateways in the namespaces of fleets: checked once per namespace, not per fleet. */
import {
  type Clock,
  createAccessProbe,
  keyOf,
  type NamesByAccess,
  namespaceOf,
  type ObjectKey,
  type Store,
} from '../../runtime/index.ts';
import type { FleetObject } from './kube-kinds.ts';

export type AccessState = 'allowed' | 'denied' | 'unknown';

export interface FleetAccessOptions {
  readonly fleets: Pick<Store<FleetObject>, 'objects' | 'subscribe'>;
  /** Undefined where that cannot be determined. Rejects when the check failed. */
  readonly isAllowed: (namespace: string, signal: AbortSignal) => Promise<boolean | undefined>;
  readonly clock: Clock;
}

export interface FleetAccess {
  stateOf(namespace: string): AccessState;
  /** Checks out of turn, after a call was refused there. Rejects when the check failed. */
  ask(namespace: string, signal: AbortSignal): Promise<AccessState>;
  /** Called with a namespace whose state has changed. */
  subscribe(listener: (namespace: string) => void): Disposable;
  /** Checks until the signal ends, ever less often while the result is negative; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

interface NamespaceAccess extends NamesByAccess {
  readonly denied: Set<ObjectKey>;
  readonly watched: Set<ObjectKey>;
  readonly fleets: Set<ObjectKey>;
  state: AccessState;
}

export function createFleetAccess({ fleets, isAllowed, clock }: FleetAccessOptions): FleetAccess {
  const byNamespace = new Map<string, NamespaceAccess>();
  const listeners = new Set<(namespace: string) => void>();
  const set = (namespace: string, state: AccessState): void => {
    const known = byNamespace.get(namespace);
    if (known === undefined || known.state === state) return;
    known.state = state;
    const key = keyOf({ namespace, name: '' });
    const [now, before] = state === 'allowed' ? [known.watched, known.denied] : [known.denied, known.watched];
    before.delete(key);
    now.add(key);
    for (const listener of listeners) listener(namespace);
    probe.note(namespace);
  };
  const ask = async (namespace: string, signal: AbortSignal): Promise<boolean | undefined> => {
    const answer = await isAllowed(namespace, signal);
    set(namespace, answer === false ? 'denied' : 'allowed');
    return answer;
  };
  const probe = createAccessProbe({
    isAllowed: (key, signal) => ask(namespaceOf(key), signal),
    byNamespace,
    retry: () => {},
    deny: () => {},
    clock,
  });
  const note = (key: ObjectKey, isThere: boolean): void => {
    const namespace = namespaceOf(key);
    const known = byNamespace.get(namespace);
    if (!isThere) {
      known?.fleets.delete(key);
      if (known?.fleets.size === 0) byNamespace.delete(namespace);
    } else if (known !== undefined) known.fleets.add(key);
    else {
      const denied = new Set([keyOf({ namespace, name: '' })]);
      byNamespace.set(namespace, { denied, watched: new Set(), fleets: new Set([key]), state: 'unknown' });
      probe.note(namespace);
    }
  };
  fleets.subscribe(({ key, object }) => note(key, object !== undefined));
  for (const key of fleets.objects.keys()) note(key, true);
  return {
    stateOf: (namespace) => byNamespace.get(namespace)?.state ?? 'unknown',
    ask: async (namespace, signal) => {
      const answer = await ask(namespace, signal);
      return answer === false ? 'denied' : 'allowed';
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
    run: (signal) => probe.run(signal),
  };
}
