/** What limits said about one request, for its record and the headers of its answer. */
import type { BudgetDenial, Charge } from '../../budgets/index.ts';
import { type Demand, type Denial, WINDOW_MS, type WindowState } from '../../limits/index.ts';
import type { CheckVerdict } from '../../record/index.ts';
import type { HeaderMap } from '../exchange.ts';
import { ownerOf } from './owner.ts';

interface Window extends WindowState {
  readonly demand: Demand;
}

/** Identifies a limit: a subject has one of each unit and window at most. */
const limitId = ({ subject, unit, window }: Demand): string => `${subject} ${unit} ${window}`;

export class LimitTrail {
  readonly #verdicts = new Map<string, boolean>();
  /** The latest state of each window. */
  readonly #windows = new Map<string, Window>();

  granted(demands: readonly Demand[], windows: readonly WindowState[]): void {
    demands.forEach((demand, i) => {
      const state = windows[i];
      if (state !== undefined) this.#note(demand, state, true);
    });
  }

  denied({ demand, remaining, retryAfterMs }: Denial): void {
    this.#note(demand, { remaining, resetMs: retryAfterMs }, false);
  }

  /** Something is left of the budgets. */
  charged(charges: readonly Charge[]): void {
    for (const { budget } of charges) this.#verdicts.set(budget.id, this.#verdicts.get(budget.id) !== false);
  }

  exhausted({ budget }: BudgetDenial): void {
    this.#verdicts.set(budget.id, false);
  }

  /** In the order in which limits were asked first. A limit that any target was refused for has not passed. */
  verdicts(): readonly CheckVerdict[] {
    return Array.from(this.#verdicts, ([id, passed]) => ({ id, passed }));
  }

  /** `RateLimit-Policy` and `RateLimit`. Source: draft-ietf-httpapi-ratelimit-headers-10. */
  addHeaders(headers: HeaderMap): void {
    if (this.#windows.size === 0) return;
    const policies: string[] = [];
    const states: string[] = [];
    for (const { demand, remaining, resetMs } of this.#windows.values()) {
      const name = `"${nameOf(demand)}"`;
      const unit = demand.unit === 'requests' ? '' : `;qu="${demand.unit}"`;
      policies.push(`${name};q=${demand.limit};w=${WINDOW_MS[demand.window] / 1_000}${unit}`);
      states.push(`${name};r=${remaining};t=${Math.ceil(resetMs / 1_000)}`);
    }
    headers['ratelimit-policy'] = policies.join(', ');
    headers['ratelimit'] = states.join(', ');
  }

  #note(demand: Demand, { remaining, resetMs }: WindowState, passed: boolean): void {
    const id = limitId(demand);
    this.#verdicts.set(id, passed && this.#verdicts.get(id) !== false);
    this.#windows.set(id, { demand, remaining, resetMs });
  }
}

/** A name of the limit for clients: the caller knows its key and workspace, other owners are named. */
function nameOf(demand: Demand): string {
  const { kind, name } = ownerOf(demand.subject);
  const owner = kind === 'key' || kind === 'workspace' ? kind : `${kind}-${name}`;
  return `${owner}-${demand.unit}-${demand.window}`;
}
