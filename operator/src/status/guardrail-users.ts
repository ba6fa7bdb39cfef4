/** Which resources name each Guardrail, for its status. */
import { MAX_NAMED_USERS } from '@gatehouse/crds/kinds';
import type { Clock } from '../runtime/index.ts';
import type { Verdict } from '../translate/index.ts';

interface UsedBy {
  readonly total: number;
  /** The first of them by name, as `Kind/namespace/name`. */
  readonly resources: readonly string[];
}

export interface GuardrailUsers {
  /** Takes new verdicts and the keys of objects that are gone; returns the Guardrails whose status is to be written now. */
  update(verdicts: readonly Verdict[], gone: readonly string[]): readonly string[];
  /** Guardrails whose status had to wait and is to be written now. */
  takeDue(): readonly string[];
  /** What the status says from now on, by the key of the verdict. */
  show(guardrail: string): UsedBy;
  forget(guardrail: string): void;
}

/** Shortest time between two writes for this reason, in ms: thousands of configs may be applied at once. */
const INTERVAL_MS = 10_000;

const NOTHING: readonly string[] = [];

export function createGuardrailUsers(clock: Pick<Clock, 'monotonicMs'>): GuardrailUsers {
  const usesOf = new Map<string, readonly string[]>();
  const usersOf = new Map<string, Set<string>>();
  const shownAtMs = new Map<string, number>();
  const waiting = new Set<string>();

  const isDue = (guardrail: string): boolean => {
    const shown = shownAtMs.get(guardrail);
    return shown === undefined || clock.monotonicMs() - shown >= INTERVAL_MS;
  };
  const remove = (user: string, guardrail: string): void => {
    const users = usersOf.get(guardrail);
    users?.delete(user);
    if (users?.size === 0) usersOf.delete(guardrail);
  };
  const put = (user: string, uses: readonly string[], changed: Set<string>): void => {
    const before = usesOf.get(user) ?? NOTHING;
    const left = before.filter((guardrail) => !uses.includes(guardrail));
    const came = uses.filter((guardrail) => !before.includes(guardrail));
    for (const guardrail of left) remove(user, guardrail);
    for (const guardrail of came) usersOf.set(guardrail, (usersOf.get(guardrail) ?? new Set()).add(user));
    for (const guardrail of [...left, ...came]) changed.add(guardrail);
    if (uses.length === 0) usesOf.delete(user);
    else usesOf.set(user, uses);
  };

  return {
    update: (verdicts, gone) => {
      const changed = new Set<string>();
      for (const key of gone) put(key, NOTHING, changed);
      for (const { key, uses = NOTHING } of verdicts) put(key, uses, changed);
      const due = [...changed].filter(isDue);
      for (const guardrail of changed) waiting.add(guardrail);
      for (const guardrail of due) waiting.delete(guardrail);
      return due;
    },
    takeDue: () => {
      const due = [...waiting].filter(isDue);
      for (const guardrail of due) waiting.delete(guardrail);
      return due;
    },
    show: (guardrail) => {
      shownAtMs.set(guardrail, clock.monotonicMs());
      waiting.delete(guardrail);
      const users = [...(usersOf.get(guardrail) ?? [])].sort();
      return { total: users.length, resources: users.slice(0, MAX_NAMED_USERS) };
    },
    forget: (guardrail) => {
      shownAtMs.delete(guardrail);
      waiting.delete(guardrail);
    },
  };
}
