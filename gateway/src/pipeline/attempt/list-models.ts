/** The models that a target's provider offers, all pages. */
import { AppError } from '../../errors/index.ts';
import type { JsonLimits } from '../../lib/json/index.ts';
import type { Call, JsonObject, ProviderServices } from '../../providers/contract.ts';
import { buildModelsRequest, modelListBody, type PreparedTarget, readModels } from '../../providers/engine/index.ts';
import type { UpstreamRequest } from '../../upstream/index.ts';
import { decodeAnswer, type MappedAnswer, map, type UnaryAnswer } from './map/index.ts';
import type { AttemptPorts } from './ports.ts';
import { type Prepared, sendSettings, servicesOf } from './prepare/index.ts';
import { toUpstream } from './request.ts';
import { type Result, type Tried, tryWithRetries } from './retries.ts';

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
  send(
    request: () => Promise<Pick<UpstreamRequest, 'method' | 'origin' | 'path' | 'headers'>>,
  ): Promise<Result<UnaryAnswer>>;
}

/** The list in the normal form, or the first page that failed. */
export async function listUpstreamModels(question: ListModelsInput): Promise<Result<UnaryAnswer>> {
  const { target, call, forwarded, services, signal } = question;
  const data: JsonObject[] = [];
  let page: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && data.length < MAX_MODELS; pages += 1) {
    const next = page === undefined ? {} : { page };
    const result = await question.send(async () =>
      buildModelsRequest(target, call, { forwarded, services, signal, ...next }),
    );
    if (result.kind === 'error' || result.answer.status !== 200) return result;
    const read = readModels(target.provider, call, { bytes: result.answer.bytes, page, json: question.json });
    data.push(...read.data);
    page = read.next;
    if (page === undefined) break;
  }
  const bytes = Buffer.from(JSON.stringify(modelListBody(target.provider, data)));
  return { kind: 'answer', answer: { status: 200, headers: { 'content-type': 'application/json' }, bytes } };
}

/** Lists the models of the target; each page has the retries and timeouts of the target. */
export async function listModels(ports: AttemptPorts, prepared: Prepared): Promise<Tried<MappedAnswer>> {
  const { input, resolved, call, forwarded } = prepared;
  const { signal, memory } = input.exchange;
  const counts = { retries: 0, calls: 0, upstreamMs: 0 };
  const result = await listUpstreamModels({
    target: resolved.target,
    call,
    forwarded,
    services: servicesOf(ports, prepared),
    signal,
    json: ports.json,
    send: async (request) => {
      const tried = await tryWithRetries<UnaryAnswer>(ports, {
        signal,
        settings: sendSettings(prepared),
        calls: input.calls,
        memory,
        request: async () => toUpstream({ ...(await request()), body: undefined }, prepared),
        replayable: () => true,
        isStream: () => false,
        map: (page) => {
          if (page.kind === 'stream') throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider: call.provider });
          return decodeAnswer(page, { maxBytes: ports.maxResponseBytes, memory });
        },
        evaluate: () => undefined,
        release: () => undefined,
      });
      counts.retries = tried.retries < 0 ? tried.retries : counts.retries + tried.retries;
      counts.calls += tried.calls;
      counts.upstreamMs += tried.upstreamMs;
      return tried.result;
    },
  });
  if (result.kind === 'error') return { result, ...counts };
  const answer = await map(ports, prepared, { kind: 'unary', ...result.answer });
  return { result: { kind: 'answer', answer }, ...counts };
}
