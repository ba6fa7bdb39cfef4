/** Tokens and cost of answers that providers have given, as bodies: for batches, and for callers who keep answers. */
import { isObject } from '@gatehouse/crds';
import { NO_USAGE, readUsage, type TokenUsage } from '../usage/index.ts';
import { type Cost, costOf } from './formula.ts';
import type { PriceBook, PricedAccount } from './price-book.ts';

type Body = Readonly<Record<string, unknown>>;

export interface CountedBody extends Cost {
  readonly usage: TokenUsage;
  /** Empty: not named. */
  readonly model: string;
}

export interface CountOptions {
  readonly prices: PriceBook;
  readonly account: PricedAccount;
  /** For bodies that name no model. */
  readonly model: string;
  readonly batch: boolean;
}

/** What one body used and costs. Rows of the output of a batch are opened. */
export function countBody(given: Body, { prices, account, model, batch }: CountOptions): CountedBody {
  const { body, status } = openRow(given);
  const found = [body['usage'], body['usageMetadata'], body['meta']].find(isObject);
  const usage = found === undefined ? NO_USAGE : readUsage(found);
  const answered = textOf(body['model']) ?? textOf(body['modelVersion']) ?? '';
  const price = prices.priceOf(account, { asked: model === '' ? answered : model, answered }, usage);
  return { usage, model: answered === '' ? model : answered, ...costOf(price, usage, { status, batch }) };
}

/** Sources: output files of batches of OpenAI, Anthropic, Bedrock and Vertex AI. */
function openRow(row: Body): { readonly body: Body; readonly status: number } {
  const { response, result, modelOutput } = row;
  if (isObject(response)) {
    const { body, status_code: status } = response;
    return { body: isObject(body) ? body : response, status: typeof status === 'number' ? status : 200 };
  }
  if (isObject(result)) return { body: isObject(result['message']) ? result['message'] : result, status: 200 };
  return { body: isObject(modelOutput) ? modelOutput : row, status: 200 };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
