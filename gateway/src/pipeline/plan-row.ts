/** Whether a row of a batch may run in a batch of one provider, and as what: docs/behaviour/managed-batches.md#batches-of-a-provider. */
import { AppError, toAppError } from '../errors/index.ts';
import { writeJson } from '../lib/json/index.ts';
import type { RowBatches } from '../providers/contract.ts';
import type { Leaf } from '../routing/index.ts';
import type { ManagedProvider } from '../snapshot/index.ts';
import { type AttemptInput, type AttemptPorts, buildRequest, type Prepared, prepare } from './attempt/index.ts';
import { CallBudget } from './call-budget.ts';
import type { Caller, Exchange, RequestBody } from './exchange.ts';
import { callOf } from './operations/index.ts';
import { promptOf, type Resolver } from './resolve/index.ts';

/** The account whose provider runs the row, and its body there. */
export interface RowTarget {
  /** Id of the provider. */
  readonly provider: string;
  readonly account: ManagedProvider;
  readonly batches: RowBatches;
  /** Slug of the saved config of the row. */
  readonly config: string | undefined;
  /** JSON: of the provider's call where batches take files, else of the client's as its config shapes it. */
  readonly body: Buffer;
}

/** A text says why the row is asked for by itself. */
export type RowPlan = RowTarget | string;

export interface RowPlannerPorts {
  readonly resolver: Resolver;
  readonly attempts: AttemptPorts;
}

/** `exchange`: the row as a request, with a JSON body. Never rejects for what is wrong with the row: it has its error when it runs. */
export async function planRow(ports: RowPlannerPorts, exchange: Exchange, caller: Caller): Promise<RowPlan> {
  try {
    return await planned(ports, exchange, caller);
  } catch (error) {
    const { code } = toAppError(error);
    if (code === 'INTERNAL') throw error;
    return `a row is refused by itself (${code.toLowerCase()})`;
  }
}

async function planned(ports: RowPlannerPorts, exchange: Exchange, caller: Caller): Promise<RowPlan> {
  const body = await exchange.request.readBody(['json']);
  if (promptOf(exchange, caller, body) !== undefined) return 'a row uses a saved prompt';
  const resolution = ports.resolver.resolve(exchange, caller, body);
  const { root } = resolution.plan;
  if (root.kind !== 'leaf') return 'the config has several targets';
  const own = configReason(root);
  if (own !== undefined) return own;
  const input: AttemptInput = { exchange, caller, resolution, calls: new CallBudget(1), tried: [], log: {} };
  const prepared = prepare(ports.attempts, input, root);
  const found = targetOf(prepared, exchange, caller);
  if (typeof found === 'string') return found;
  const { slug, owner } = resolution.plan;
  return {
    ...found,
    provider: prepared.provider.id,
    config: owner === 'client' ? undefined : slug,
    body: await bodyOf(ports.attempts, prepared, { batches: found.batches, body }),
  };
}

/** A config that changes more than parameters: calls about the batch would go elsewhere, or not have it. */
function configReason({ settings, overlay, deployments }: Leaf): string | undefined {
  if (settings.customHost !== undefined || overlay.size > 0 || deployments.length > 0)
    return 'the config changes the account';
  if (settings.promptId !== undefined) return 'the config has a saved prompt';
  return undefined;
}

function targetOf(
  { provider, resolved, adaptation, guards, forwarded }: Prepared,
  { operation, request, snapshot }: Exchange,
  { workspace }: Caller,
): Pick<RowTarget, 'account' | 'batches'> | string {
  const { managed } = resolved;
  const { rowBatches } = provider;
  if (rowBatches === undefined) return `batches of ${provider.id} are not used`;
  if (adaptation !== undefined || !rowBatches.endpoints.includes(request.path))
    return `batches of ${provider.id} are not used for ${callOf(operation)}`;
  if (managed === undefined || resolved.hostOrigin === 'request') return 'the account is not a stored one';
  if (snapshot.provider(workspace.name, managed.slug) !== managed) return 'the model has an account of its own';
  if (guards !== undefined) return 'guardrails look at the rows';
  if (Object.keys(forwarded).length > 0) return 'headers are forwarded';
  return { account: managed, batches: rowBatches };
}

interface BodyInput {
  readonly batches: RowBatches;
  readonly body: RequestBody;
}

/** Bytes as the client wrote them where nothing changes them. */
async function bodyOf(ports: AttemptPorts, prepared: Prepared, { batches, body }: BodyInput): Promise<Buffer> {
  if (batches.input === 'file') {
    const { body: built } = await buildRequest(ports, prepared, prepared.input.exchange.signal);
    if (built === undefined) throw new AppError('OPERATION_UNSUPPORTED', { provider: prepared.provider.id });
    return built;
  }
  const isAsWritten = body.kind === 'json' && body.value === prepared.params;
  return isAsWritten ? body.bytes : writeJson(prepared.params);
}
