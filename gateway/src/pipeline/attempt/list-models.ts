/** The models that a target's provider offers, all pages. */
import { AppError } from '../../errors/index.ts';
import type { JsonLimits } from '../../lib/json/index.ts';
import type { Call, JsonObject, ProviderServices } from '../../providers/contract.ts';
import { buildModelsRequest, modelListBody, type PreparedTarget, readModels } from '../../providers/engine/index.ts';
import type { UpstreamRequest } from '../../upstream/index.ts';
import { decodeAnswer } from './map/index.ts';
import type { AttemptPorts } from './ports.ts';
import { type Prepared, sendSettings, servicesOf } from './prepare/index.ts';
import { type CallResult, type SendResult, sendWithRetries } from './retries.ts';
import { toUpstream } from './send/index.ts';

/** Pages and entries of one list: bounds what a provider can make us hold. */
const MAX_PAGES = 20;
const MAX_MODELS = 10_000;

export interface ListModelsInput {
  readonly target: PreparedTarget;
  readonly call: Call;
  readonly forwarded: Readonly<Record<string, string>>;
  readonly services: ProviderServices;
  readonly signal: AbortSignal;
  readonly json: JsonLimits;
  /** Sends one request, with the retries and timeouts of the target. */
  send(request: () => Promise<Pick<UpstreamRequest, 'method' | 'origin' | 'path' | 'headers'>>): Promise<CallResult>;
}

/** The list in the normal form, or the first page that failed. */
export async function listUpstreamModels(question: ListModelsInput): Promise<CallResult> {
  const { target, call, forwarded, services, signal } = question;
  const data: JsonObject[] = [];
  let page: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && data.length < MAX_MODELS; pages += 1) {
    const next = page === undefined ? {} : { page };
    const result = await question.send(async () =>
      buildModelsRequest(target, call, { forwarded, services, signal, ...next }),
    );
    if (result.kind === 'error' || (result.kind === 'unary' && result.status !== 200)) return result;
    if (result.kind === 'stream') throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider: target.provider.id });
    const read = readModels(target.provider, call, { bytes: result.bytes, page, json: question.json });
    data.push(...read.data);
    page = read.next;
    if (page === undefined) break;
  }
  const bytes = Buffer.from(JSON.stringify(modelListBody(target.provider, data)));
  return { kind: 'unary', status: 200, headers: { 'content-type': 'application/json' }, bytes };
}

/** Lists the models of the target; each page has the retries and timeouts of the target. */
export async function sendModels(ports: AttemptPorts, prepared: Prepared): Promise<SendResult> {
  const { input, resolved, call, forwarded } = prepared;
  const { signal, memory } = input.exchange;
  let retries = 0;
  let calls = 0;
  let upstreamMs = 0;
  const result = await listUpstreamModels({
    target: resolved.target,
    call,
    forwarded,
    services: servicesOf(ports, prepared),
    signal,
    json: ports.json,
    send: async (request) => {
      const sent = await sendWithRetries(ports, {
        signal,
        settings: sendSettings(prepared),
        calls: input.calls,
        memory,
        request: async () => toUpstream({ ...(await request()), body: undefined }, prepared),
        replayable: () => true,
        isStream: () => false,
        inspect: async () => undefined,
      });
      retries = sent.retries < 0 ? sent.retries : retries + sent.retries;
      calls += sent.calls;
      upstreamMs += sent.upstreamMs;
      const { result: page } = sent;
      return page.kind === 'unary'
        ? { ...page, ...(await decodeAnswer(page, { maxBytes: ports.maxResponseBytes, memory })) }
        : page;
    },
  });
  return { result, retries, calls, upstreamMs };
}
