/** What limits said about one request, for its record and the headers of its answer. */
import type { BudgetDenial, Charge } from '../../budgets/index.ts';
import type { Demand, Denial, Reservation } from '../../limits/index.ts';
import type { CheckVerdict, LimitVerdicts } from '../../record/index.ts';
import type { HeaderMap } from '../exchange.ts';
import { limitId, rateHeaders } from './trail-headers.ts';

type Windows = Pick<Reservation, 'windows'>;

interface Step {
  readonly demands: readonly Demand[];
  readonly charges: readonly Pick<Charge, 'budget'>[];
  readonly passed: boolean;
}

export class LimitTrail implements LimitVerdicts {
  /** Of what was asked for, in its order: the lists of demands, and what is left of each. */
  readonly #lists: (readonly Demand[])[] = [];
  readonly #states: Windows[] = [];
  /** Whether there was room, in the order in which it was asked for. */
  readonly #steps: Step[] = [];

  granted(demands: readonly Demand[], windows: Windows): void {
    this.#lists.push(demands);
    this.#states.push(windows);
    this.#steps.push({ demands, charges: [], passed: true });
  }

  denied({ demand, remaining, retryAfterMs }: Denial): void {
    const demands = [demand];
    this.#lists.push(demands);
    this.#states.push({ windows: [{ remaining, resetMs: retryAfterMs }] });
    this.#steps.push({ demands, charges: [], passed: false });
  }

  /** Something is left of the budgets. */
  charged(charges: readonly Charge[]): void {
    if (charges.length > 0) this.#steps.push({ demands: [], charges, passed: true });
  }

  exhausted({ budget }: BudgetDenial): void {
    this.#steps.push({ demands: [], charges: [{ budget }], passed: false });
  }

  /** Of the limit that was asked last, where it had no room. */
  refusedBy(): string | undefined {
    const last = this.#steps.at(-1);
    if (last === undefined || last.passed) return undefined;
    const { demands, charges } = last;
    return demands.map(limitId)[0] ?? charges[0]?.budget.id;
  }

  /** In the order in which limits were asked first. A limit that any target was refused for has not passed. */
  verdicts(): readonly CheckVerdict[] {
    const verdicts = new Map<string, boolean>();
    for (const { demands, charges, passed } of this.#steps) {
      const ids = [...demands.map(limitId), ...charges.map(({ budget }) => budget.id)];
      for (const id of ids) verdicts.set(id, passed && verdicts.get(id) !== false);
    }
    return Array.from(verdicts, ([id, passed]) => ({ id, passed }));
  }

  /** `RateLimit-Policy` and `RateLimit`. Source: draft-ietf-httpapi-ratelimit-headers-10. */
  addHeaders(headers: HeaderMap): void {
    if (this.#lists.length === 0) return;
    const windows = this.#states.map((state) => state.windows);
    const shown = rateHeaders(this.#lists, windows);
    if (shown === undefined) return;
    headers['ratelimit-policy'] = shown.policies;
    headers['ratelimit'] = shown.limits;
  }
}
