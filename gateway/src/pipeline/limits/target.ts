/** The target phase: what one target takes of limits, after the cache and before the first call; docs/behaviour/limits.md. */
import type { BudgetDenial, Budgets, Spend } from '../../budgets/index.ts';
import type { Denial, Reservation } from '../../limits/index.ts';
import { type Asked, askedOf, type LimitedTarget } from './asked.ts';
import { budgetError, rateError } from './denial.ts';
import type { LimitPorts } from './entry.ts';
import { TargetHold } from './settlement.ts';
import { LimitTrail } from './trail.ts';

/** Bytes of a request that are taken for one token. */
const BYTES_PER_TOKEN = 4;

type Held = TargetHold | Promise<TargetHold>;

/**
 * Takes room in all budgets and limits of the target or in none, budgets first. Undefined: nothing limits it. Throws the AppError
 * of the first one that has no room, from which a fallback may move on.
 */
export function holdTarget(ports: LimitPorts, target: LimitedTarget): Held | undefined {
  const nowMs = ports.now();
  const asked = askedOf(target, ports, nowMs);
  if (asked === undefined || asked.demands.length + asked.charges.length + (asked.late?.length ?? 0) === 0)
    return undefined;
  const take = (): Held => takeAll(new Taking(ports, target, { asked, nowMs }), { asked, nowMs, ports });
  const { log } = target.input;
  if (log.steps === undefined) return take();
  const step = { kind: 'limits', target: target.leaf?.path } as const;
  return log.steps.time(step, take, () => ({ refusedBy: log.limits?.refusedBy() }));
}

function takeAll(
  taking: Taking,
  { asked, nowMs, ports }: { readonly asked: Asked; readonly nowMs: number; readonly ports: LimitPorts },
): Held {
  if (asked.charges.length === 0) return taking.withSpend(undefined);
  const spend = ports.budgets.reserve(asked.charges, nowMs);
  return spend instanceof Promise ? spend.then((settled) => taking.withSpend(settled)) : taking.withSpend(spend);
}

/** One target on its way through budgets and rates. */
class Taking {
  readonly #ports: LimitPorts;
  readonly #asked: Asked;
  readonly #nowMs: number;
  readonly #provider: string;
  readonly #trail: LimitTrail;
  readonly #inputTokens: number;
  readonly #budgets: Pick<Budgets, 'reserve'>;

  constructor(
    ports: LimitPorts,
    { input, provider }: LimitedTarget,
    { asked, nowMs }: { readonly asked: Asked; readonly nowMs: number },
  ) {
    this.#ports = ports;
    this.#asked = asked;
    this.#nowMs = nowMs;
    this.#provider = provider.id;
    input.log.limits ??= new LimitTrail();
    this.#trail = input.log.limits;
    this.#budgets = input.exchange.settlement?.budgets ?? ports.budgets;
    const { body } = input.resolution;
    this.#inputTokens = body.kind === 'json' ? Math.ceil(body.bytes.length / BYTES_PER_TOKEN) : 0;
  }

  withSpend(spend: Spend | BudgetDenial | undefined): Held {
    if (spend?.allowed === false) {
      this.#trail.exhausted(spend);
      throw budgetError(spend, 'target', this.#provider);
    }
    this.#trail.charged(this.#asked.charges);
    const { demands } = this.#asked;
    if (demands.length === 0) return this.#hold(spend, undefined);
    try {
      const result = this.#ports.limiter.reserve(demands, this.#nowMs);
      if (!(result instanceof Promise)) return this.#withRates(spend, result);
      return result.then((settled) => this.#withRates(spend, settled)).catch((error) => giveBack(spend, error));
    } catch (error) {
      return giveBack(spend, error);
    }
  }

  #withRates(spend: Spend | undefined, result: Reservation | Denial): TargetHold {
    if (!result.allowed) {
      this.#trail.denied(result);
      throw rateError(result, 'target', this.#provider);
    }
    this.#trail.granted(this.#asked.demands, result);
    return this.#hold(spend, result);
  }

  #hold(spend: Spend | undefined, reservation: Reservation | undefined): TargetHold {
    const { demands, charges, late } = this.#asked;
    const held = { demands, charges, reservation, spend, inputTokens: this.#inputTokens };
    return new TargetHold({ ...held, late, budgets: this.#budgets }, this.#ports.now);
  }
}

function giveBack(spend: Spend | undefined, error: unknown): never {
  spend?.release();
  throw error;
}
