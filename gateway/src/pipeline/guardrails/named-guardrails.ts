/** The stored guardrails of a request: those that its config names, at any target, and those that apply by default. */
import { AppError } from '../../errors/index.ts';
import type { RequestType } from '../../guardrails/index.ts';
import type { RoutingPlan } from '../../routing/index.ts';
import type { DefaultGuardrails, GuardrailRecord, SnapshotView } from '../../snapshot/index.ts';
import { type CheckedSource, checkedAsOf, type Operation } from '../operations/index.ts';

/** A request as far as its guardrails go. */
export interface GuardedRequest {
  readonly exchange: {
    readonly snapshot: SnapshotView;
    readonly operation: Pick<Operation, 'checkedAs'>;
    readonly request: CheckedSource;
  };
  readonly caller: { readonly workspace: { readonly name: string } };
  readonly resolution: { readonly plan: Pick<RoutingPlan, 'owner' | 'guardrails'> };
}

/** What its guardrails take it for; undefined: they do not look at it. */
export const typeOf = ({ exchange }: Pick<GuardedRequest, 'exchange'>): RequestType | undefined =>
  checkedAsOf(exchange.operation, exchange.request);

/**
 * The guardrail that the config of the request names. A config of the organisation means one of the organisation: a workspace cannot
 * replace it by its own.
 */
export const namedGuardrail = (
  { exchange, caller, resolution }: GuardedRequest,
  slug: string,
): GuardrailRecord | undefined => {
  const namedBy = resolution.plan.owner === 'organisation' ? 'organisation' : 'workspace';
  return exchange.snapshot.guardrail(caller.workspace.name, slug, namedBy);
};

/** Throws GUARDRAIL_UNKNOWN where the request is under guardrails that do not exist: it is not let through without them. */
export function refuseUnknownGuardrails(request: GuardedRequest): void {
  if (typeOf(request) === undefined) return;
  const { guardrails } = request.resolution.plan;
  const named = guardrails.length === 0 ? guardrails : guardrails.filter((slug) => !namedGuardrail(request, slug));
  const [input, output] = defaultsOf(request);
  if (named.length + input.missing.length + output.missing.length === 0) return;
  throw unknownGuardrails([...new Set([...named, ...input.missing, ...output.missing])], request);
}

export function unknownGuardrails(slugs: readonly string[], { caller }: Pick<GuardedRequest, 'caller'>): AppError {
  const named = slugs.slice(0, MAX_NAMED).join(', ');
  const more = slugs.length > MAX_NAMED ? ` and ${slugs.length - MAX_NAMED} more` : '';
  return new AppError('GUARDRAIL_UNKNOWN', {
    detail: `The request is under guardrails that the workspace ${caller.workspace.name} does not have, or that cannot run: ${named}${more}`,
  });
}

/** Guardrails that an error names. */
const MAX_NAMED = 8;

/** Whether a guardrail of the request has a credential that stays with the fleet. */
export function guardrailsNeedFleet(request: GuardedRequest): boolean {
  if (typeOf(request) === undefined) return false;
  if (defaultsOf(request).some(({ needsFleet }) => needsFleet)) return true;
  return request.resolution.plan.guardrails.some((slug) => namedGuardrail(request, slug)?.hook.needsFleet === true);
}

function defaultsOf({
  exchange: { snapshot },
  caller,
}: GuardedRequest): readonly [DefaultGuardrails, DefaultGuardrails] {
  const { name } = caller.workspace;
  return [snapshot.defaultHooks(name, 'input'), snapshot.defaultHooks(name, 'output')];
}
