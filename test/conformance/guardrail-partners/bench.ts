/** The service of a partner on a socket, and checks that call it through the real upstream client and the engine. */
import { setTimeout as later } from 'node:timers/promises';
import { type CheckSpec, parseCheck } from '@gatehouse/crds/guardrails';
import type { CheckSubject, CheckTools, HookPhaseResult } from '../../../gateway/src/guardrails/index.ts';
import { CHECKS, compileHook, runHooks } from '../../../gateway/src/guardrails/index.ts';
import { Cancellation } from '../../../gateway/src/lib/cancellation.ts';
import { createRegexScheduler, REQUEST_UNITS } from '../../../gateway/src/lib/regex.ts';
import { unlimitedAccount } from '../../../gateway/src/lib/testing.ts';
import { createProviderServices } from '../../../gateway/src/providers/services.ts';
import { createHostPolicy } from '../../../gateway/src/upstream/host-guard/index.ts';
import { createUpstreamClient } from '../../../gateway/src/upstream/index.ts';
import { unwrap } from '../../kit/index.ts';
import { type RawReply, startRawUpstream } from '../../kit/raw-upstream.ts';
import type { Side, Target } from './row.ts';

export const NOW_MS = 1_760_000_000_000;
export const HEADERS_OF_CLIENT: Readonly<Record<string, string>> = {
  'x-request-id': 'request-1',
  'x-gw-trace-id': '0af7651916cd43dd8448eb211c80319c',
  authorization: 'Bearer gateway-key',
};

/** What the service does with a call. */
export type Answer =
  | { readonly status?: number; readonly body: unknown }
  | { readonly text: string }
  | 'hang'
  | 'stall';

/** A call as the service got it. */
export interface Got {
  readonly method: string;
  readonly path: string;
  /** Without those that frame the message. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const FRAMING: ReadonlySet<string> = new Set(['host', 'connection', 'content-length']);

export interface PartnerBench extends AsyncDisposable {
  readonly url: string;
  /** What was sent since the last run. */
  readonly got: readonly Got[];
  run(target: Target, side: Side, world: World): Promise<HookPhaseResult>;
}

export interface World {
  readonly failOnError?: boolean;
  /** Answers in the order of the calls; the last one repeats. */
  readonly answers: readonly Answer[];
  readonly env?: Readonly<Record<string, string>>;
}

/** `trusted`: the hosts that checks may call though their addresses are private. */
export async function openBench(trusted = '127.0.0.1'): Promise<PartnerBench> {
  let got: Got[] = [];
  let answers: readonly Answer[] = [];
  let calls = 0;
  const server = await startRawUpstream(async (reply) => {
    const at = calls++;
    const call = await read(reply);
    got.push(call);
    await respond(reply, answers[Math.min(at, answers.length - 1)], call);
  });
  const client = createUpstreamClient({
    hosts: createHostPolicy({ trustedCustomHosts: trusted, production: true }),
    connectTimeoutMs: 5_000,
    connectionsPerOrigin: 8,
    keepAliveMs: 60_000,
    ca: undefined,
    proxy: { http: undefined, https: undefined, no: undefined },
  });
  const services = createProviderServices({
    client,
    limits: { headersTimeoutMs: 30_000, idleTimeoutMs: 30_000 },
    env: () => undefined,
    now: () => NOW_MS,
  })('request', unlimitedAccount());

  return {
    url: server.url,
    get got() {
      return got;
    },
    async run(target, side, world) {
      got = [];
      calls = 0;
      answers = world.answers;
      const check = specOf(target, world, server.url);
      const hook = compileHook(
        { type: 'guardrail', deny: true, checks: [check] },
        { checks: CHECKS, id: 'h', scope: 'request' },
      );
      return runHooks([hook], factsOf(side), () => toolsOf(services, world));
    },
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

function specOf({ id, parameters = {}, credential }: Target, { failOnError = false }: World, url: string): CheckSpec {
  const credentials = Object.fromEntries(
    Object.entries(credential).map(([name, value]) => [name, value.replace('STUB', url)]),
  );
  const item = { id, parameters: { ...parameters, failOnError, credentials } };
  return unwrap(parseCheck(item, { path: [], literalCredentials: true }));
}

function factsOf({ phase, requestType = 'chatComplete', request, response }: Side) {
  return {
    phase,
    requestType,
    provider: 'openai',
    metadata: { _user: 'user-1', user_name: 'Jo' },
    isStream: false,
    request,
    response: phase === 'output' ? response : undefined,
    responseStatus: phase === 'output' ? 200 : undefined,
    traceId: 'trace-1',
    client: {
      header: (name: string) => HEADERS_OF_CLIENT[name],
      headers: () => Object.entries(HEADERS_OF_CLIENT),
    } satisfies Pick<CheckSubject, 'header' | 'headers'>,
  };
}

function toolsOf(services: ReturnType<ReturnType<typeof createProviderServices>>, { env }: World): CheckTools {
  const nextSlice = createRegexScheduler();
  return {
    signal: new Cancellation(),
    regex: { left: REQUEST_UNITS, nextSlice },
    nextSlice,
    fetch: services.fetch,
    cached: async (_key, make) => (await make()).value,
    ...(env !== undefined && { cloud: { env: (name: string) => env[name], ownIdentity: false } }),
    now: () => NOW_MS,
    random: () => 0.5,
  };
}

async function read({ request }: RawReply): Promise<Got> {
  const text = (await request.body).toString('utf8');
  const headers = [...request.headers].filter(([name]) => !FRAMING.has(name));
  return {
    method: request.method,
    path: request.target,
    headers: Object.fromEntries(headers),
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/** Good answers of objects repeat the headers of the call, as services do in errors: nobody may see a credential there. */
async function respond({ answer, head, socket }: RawReply, how: Answer | undefined, call: Got): Promise<void> {
  if (how === undefined) return answer(500, '');
  if (how === 'stall') await head(200, { 'content-length': '100' });
  if (how === 'hang' || how === 'stall') {
    await later(60_000, undefined, { ref: false, signal: closed(socket) }).catch(() => undefined);
    return;
  }
  if ('text' in how) return answer(200, how.text);
  const { status = 200, body } = how;
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return answer(status, JSON.stringify(isObject ? { ...body, echo: call.headers } : body));
}

function closed(socket: RawReply['socket']): AbortSignal {
  const controller = new AbortController();
  socket.once('close', () => controller.abort());
  return controller.signal;
}
