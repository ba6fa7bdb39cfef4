/** The rungs between the listener and the whole pipeline: the pipeline's own steps, then the call without the rest. */
import { REQUEST_UNITS } from '../../../gateway/src/lib/regex.ts';
import { prepare } from '../../../gateway/src/pipeline/attempt/prepare/index.ts';
import { firstRequest, toHeldUpstream } from '../../../gateway/src/pipeline/attempt/request.ts';
import { authorize } from '../../../gateway/src/pipeline/authorize.ts';
import { CallBudget } from '../../../gateway/src/pipeline/call-budget.ts';
import { NO_OPEN_CIRCUITS } from '../../../gateway/src/pipeline/circuit-breakers.ts';
import { holdConcurrencySlot } from '../../../gateway/src/pipeline/concurrency.ts';
import { identify } from '../../../gateway/src/pipeline/identify.ts';
import type {
  Answer,
  Caller,
  Exchange,
  Pipeline,
  PipelinePorts,
  RequestBody,
} from '../../../gateway/src/pipeline/index.ts';
import { admit } from '../../../gateway/src/pipeline/limits/index.ts';
import { readBody } from '../../../gateway/src/pipeline/read-body.ts';
import type { Resolution } from '../../../gateway/src/pipeline/resolve/index.ts';
import { refuseLoop } from '../../../gateway/src/pipeline/via.ts';
import { type Leaf, walkPlan } from '../../../gateway/src/routing/index.ts';
import type { UpstreamResponse } from '../../../gateway/src/upstream/index.ts';
import { NO_FACTS } from '../../kit/no-facts.ts';
import { callUpstream, collect, type LadderUpstream } from './call-upstream.ts';
import { includes, type Rung } from './rungs.ts';
import { isStream } from './simple.ts';

interface Parts {
  readonly rung: Rung;
  readonly ports: PipelinePorts;
  readonly upstream: LadderUpstream;
}

/** A pipeline that ends at a rung. */
export function createPartialPipeline(parts: Parts): Pipeline {
  return { handle: async (exchange) => toAnswer(parts.ports, await handle(parts, exchange)) };
}

async function handle(parts: Parts, exchange: Exchange): Promise<UpstreamResponse> {
  const { rung, ports } = parts;
  const { request, operation, snapshot } = exchange;
  request.checkLength(operation.bodies);
  if (!includes(rung, 'authentication')) return send(parts, exchange, await request.readBody(operation.bodies));
  refuseLoop(request, ports.attempts.gatewayName);
  const identified = identify(request, snapshot, ports);
  const caller = identified instanceof Promise ? await identified : identified;
  authorize(caller, operation);
  if (includes(rung, 'limits')) {
    const held = holdConcurrencySlot(caller, exchange, ports);
    if (held instanceof Promise) await held;
    const admitted = admit(caller, request, ports);
    if (admitted instanceof Promise) await admitted;
  }
  if (!includes(rung, 'resolve')) return send(parts, exchange, await request.readBody(operation.bodies));
  const resolution = ports.resolver.resolve(exchange, caller, await readBody(exchange));
  if (!includes(rung, 'plan')) return send(parts, exchange, resolution.body);
  return walk(parts, { exchange, caller, resolution });
}

interface Routed {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly resolution: Resolution;
}

async function walk(parts: Parts, { exchange, caller, resolution }: Routed): Promise<UpstreamResponse> {
  const { ports } = parts;
  const { plan, metadata, params } = resolution;
  const calls = new CallBudget(ports.maxCalls);
  const outcome = await walkPlan(plan.root, {
    facts: () => ({
      metadata,
      params,
      pathname: exchange.request.path,
      work: { left: REQUEST_UNITS, nextSlice: ports.regexTurn },
    }),
    random: ports.random,
    open: NO_OPEN_CIRCUITS,
    stick: async (_sticky, _branch, draw) => draw(undefined),
    attempt: async (leaf) => {
      const response = await attempt(parts, { exchange, caller, resolution, calls, tried: [], log: {} }, leaf);
      return { response, status: response.status, fallback: 'status' as const };
    },
    repeatable: () => calls.allowsMore(),
    abandon: ({ response }) => response.body.discard(),
  });
  return outcome.response;
}

type Attempted = Parameters<typeof prepare>[1];

async function attempt(parts: Parts, input: Attempted, leaf: Leaf): Promise<UpstreamResponse> {
  const { rung, ports } = parts;
  const { exchange, resolution } = input;
  if (!includes(rung, 'prepare')) return send(parts, exchange, resolution.body);
  const prepared = prepare(ports.attempts, input, leaf);
  if (!includes(rung, 'request')) return send(parts, exchange, resolution.body);
  const first = await firstRequest(ports.attempts, prepared);
  return ports.attempts.client.send(toHeldUpstream(first, prepared), {
    signal: exchange.signal,
    limits: ports.attempts.limits,
  });
}

function send({ ports, upstream }: Parts, { signal }: Exchange, body: RequestBody): Promise<UpstreamResponse> {
  if (body.kind !== 'json') throw new Error('the bench sends JSON');
  return callUpstream(ports, upstream, { body: body.bytes, signal });
}

async function toAnswer(ports: PipelinePorts, response: UpstreamResponse): Promise<Answer> {
  const headers = { 'content-type': String(response.headers['content-type']) };
  const rest = { status: response.status, headers, facts: NO_FACTS, store: undefined };
  if (isStream(response)) return { ...rest, body: { kind: 'stream', upstream: response.body, transform: undefined } };
  const bytes = await collect(ports, response);
  JSON.parse(bytes.toString('utf8')); // as the bare proxy does
  return { ...rest, body: { kind: 'bytes', bytes } };
}
