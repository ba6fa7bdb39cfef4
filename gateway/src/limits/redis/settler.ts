import { StoreUnavailable } from '../../store/index.ts';
import type { LimitCalls, Settlement } from './calls.ts';
import { bySlot } from './counters.ts';

/** Settlements that Redis has not got: those of a longer outage are lost from the oldest. */
const MAX_UNSENT = 10_000;

interface Unsent {
  readonly settlements: readonly Settlement[];
  readonly nowMs: number;
}

/** Sends settlements, and keeps those that Redis certainly has not applied until it takes them. */
export interface Settler {
  /** Never rejects. */
  settle(settlements: readonly Settlement[], nowMs: number): Promise<void>;
  /** Sends what was kept, the oldest first. Never rejects. */
  resume(): Promise<void>;
}

export interface SettlerOptions {
  readonly calls: Pick<LimitCalls, 'settle'>;
  readonly isCluster: boolean;
  /** Called for each failure, and for each settlement that is lost. */
  onError(error: unknown): void;
}

export function createSettler({ calls, isCluster, onError }: SettlerOptions): Settler {
  const unsent = new Set<Unsent>();
  let isResuming = false;

  const keep = (item: Unsent): void => {
    unsent.add(item);
    const [oldest] = unsent;
    if (unsent.size > MAX_UNSENT && oldest !== undefined) unsent.delete(oldest);
  };
  const send = async (item: Unsent): Promise<boolean> => {
    try {
      await calls.settle(item.settlements, item.nowMs);
      return true;
    } catch (error) {
      onError(error);
      if (!wasApplied(error)) keep(item);
      return false;
    }
  };

  return {
    settle: async (settlements, nowMs) => {
      const owners = settlements.map(({ counter }) => counter);
      const groups = bySlot(owners, isCluster).map((group) => group.flatMap((i) => settlements[i] ?? []));
      await Promise.all(groups.map((group) => send({ settlements: group, nowMs })));
    },
    resume: async () => {
      if (isResuming) return;
      isResuming = true;
      for (const item of unsent) {
        unsent.delete(item);
        if (!(await send(item))) break;
      }
      isResuming = false;
    },
  };
}

/** Whether it may have been: a correction that is applied twice would return what others have taken. */
const wasApplied = (error: unknown): boolean =>
  !(error instanceof StoreUnavailable) || error.reason === 'timeout' || error.reason === 'failed';
