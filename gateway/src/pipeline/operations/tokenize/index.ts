/** `POST /v1/gateway/tokenize`: tokens and cost of answers that the caller has; docs/behaviour/cost.md. */
import { formatPath, isObject } from '@gatehouse/crds';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { type CountedBody, countBody, type PricedAccount, wrongCountOf } from '../../../cost/index.ts';
import { AppError } from '../../../errors/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { toDollars } from '../../usage-headers.ts';
import { COMPLETIONS, type LocalAnswer, type Operation, type ResolvedRequest } from '../operation.ts';
import { PROXY_HANDLER } from '../proxy/handler.ts';

/** Answers that one call may bring. */
const MAX_ANSWERS = 1_000;

export const tokenize: Operation = {
  id: 'tokenize',
  routes: [{ method: 'POST', path: '/v1/gateway/tokenize' }],
  scopes: COMPLETIONS,
  bodies: ['json'],
  cacheable: false,
  errors: 'openai',
  streamFormat: 'events',
  handler: PROXY_HANDLER, // never called: every request is answered here
  answerLocally,
};

function answerLocally({ exchange, caller, resolution }: ResolvedRequest): LocalAnswer {
  const body = resolution.body.kind === 'json' ? resolution.body.value : {};
  const { is_batch: batch = false, request_url: url } = body;
  if (typeof batch !== 'boolean') throw invalid('is_batch', 'is true or false');
  if (url !== undefined && typeof url !== 'string') throw invalid('request_url', 'is a text');
  if (body['model'] !== undefined && typeof body['model'] !== 'string') throw invalid('model', 'is a text');
  const account = accountOf(body['provider'], (slug) => exchange.snapshot.provider(caller.workspace.name, slug));
  const { prices } = exchange.snapshot;
  const model = typeof body['model'] === 'string' ? body['model'] : modelOfUrl(url ?? '');
  const counted = answersOf(body['response_body']).map((answer) =>
    countBody(answer, { prices, account, model, batch }),
  );
  const bytes = Buffer.from(JSON.stringify(toAnswer(account.provider, counted)));
  return { headers: { 'content-type': 'application/json' }, bytes };
}

type Find = (
  slug: string,
) => ({ readonly provider: { readonly id: string } } & Pick<PricedAccount, 'prices'>) | undefined;

/** A provider by its id, or an account as `@slug`. */
function accountOf(provider: unknown, find: Find): PricedAccount {
  if (typeof provider !== 'string') throw invalid('provider', 'is the id of a provider, or @SLUG of an account');
  if (!provider.startsWith('@')) {
    if (!PROVIDER_CATALOGUE.has(provider)) throw invalid('provider', 'is no provider that this version knows');
    return { provider };
  }
  const account = find(provider.slice(1));
  if (account === undefined) throw invalid('provider', 'is no account of the workspace');
  return { provider: account.provider.id, prices: account.prices };
}

function answersOf(given: unknown): readonly JsonObject[] {
  const answers: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (answers.length > MAX_ANSWERS)
    throw invalid('response_body', `has more than ${MAX_ANSWERS} answers; send them in parts`);
  return answers.map((answer, i) => {
    if (!isObject(answer)) throw invalid('response_body', 'is an answer of the provider, or a list of them');
    const wrong = wrongCountOf(answer);
    if (wrong === undefined) return answer;
    throw invalid(formatPath(['response_body', ...(Array.isArray(given) ? [i] : []), ...wrong.path]), wrong.rule);
  });
}

const invalid = (param: string, rule: string): AppError =>
  new AppError('PARAMETER_INVALID', { param, detail: `${param} ${rule}` });

/** The model of URLs that name it: of Gemini, Bedrock and Azure OpenAI. */
const modelOfUrl = (url: string): string => {
  const name = /\/(?:models?|deployments)\/([^/?:]{1,256})/.exec(url)?.[1] ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
};

/** Costs are rounded for each answer, and then added up. */
function toAnswer(provider: string, counted: readonly CountedBody[]): object {
  const sum = (count: (one: CountedBody) => number): number => counted.reduce((total, one) => total + count(one), 0);
  const models = new Set(counted.map(({ model }) => model).filter((model) => model !== ''));
  const nanoDollars = Math.min(
    sum((one) => one.nanoDollars),
    Number.MAX_SAFE_INTEGER,
  );
  const units = new Map<string, number>();
  for (const { usage } of counted)
    for (const [name, count] of Object.entries(usage.units)) units.set(name, (units.get(name) ?? 0) + count);
  return {
    object: 'token_count',
    provider,
    models: [...models],
    answers: counted.length,
    tokens: {
      input: sum(({ usage }) => usage.input),
      output: sum(({ usage }) => usage.output),
      total: sum(({ usage }) => usage.total),
      cached: sum(({ usage }) => usage.cached),
      cache_write: sum(({ usage }) => usage.cacheWrite),
      reasoning: sum(({ usage }) => usage.reasoning),
      audio: sum(({ usage }) => usage.audio.input + usage.audio.output),
      image: sum(({ usage }) => usage.image.input + usage.image.output),
    },
    units: Object.fromEntries(units),
    cost: { usd: toDollars(nanoDollars), nano_dollars: nanoDollars, unpriced: counted.some((one) => one.unpriced) },
  };
}
