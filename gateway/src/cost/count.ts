/** Tokens and cost of answers that providers have given, as bodies: for batches, and for callers who keep answers. */
import { isObject } from '@gatehouse/crds';
import { findWrongCount, hasCounts, NO_USAGE, readUsage, type TokenUsage, type WrongCount } from '../usage/index.ts';
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

/** What one body used and costs; without usage that is not known. Rows of the output of a batch are opened. */
export function countBody(given: Body, { prices, account, model, batch }: CountOptions): CountedBody {
  const row = openRow(given);
  const { body, status } = row;
  const found = usageOf(row)?.value;
  const usage = found === undefined ? NO_USAGE : readUsage(found);
  const answered = textOf(body['model']) ?? textOf(body['modelVersion']) ?? '';
  const price = prices.priceOf(account, { asked: model === '' ? answered : model, answered }, usage);
  const cost = costOf(price, usage, { status, batch });
  const isUnknown = isGood(status) && (found === undefined || !hasCounts(found));
  return {
    usage,
    model: answered === '' ? model : answered,
    nanoDollars: cost.nanoDollars,
    unpriced: cost.unpriced || isUnknown,
  };
}

/** The first count of a body that no provider reports; its path begins at the body. */
export function wrongCountOf(given: Body): WrongCount | undefined {
  const row = openRow(given);
  const found = usageOf(row);
  const wrong = found && findWrongCount(found.value);
  return wrong && { ...wrong, path: [...row.path, found.name, ...wrong.path] };
}

interface Row {
  readonly body: Body;
  /** Of what the provider answered with; what failed without an answer has that of an error. */
  readonly status: number;
  /** Of the body, in the row. */
  readonly path: readonly string[];
}

const USAGE_MEMBERS = ['usage', 'usageMetadata', 'meta'] as const;

function usageOf({ body }: Row): { readonly name: string; readonly value: Body } | undefined {
  for (const name of USAGE_MEMBERS) {
    const value = body[name];
    if (isObject(value)) return { name, value };
  }
  return undefined;
}

const isGood = (status: number): boolean => status >= 200 && status <= 299;

/** Sources: output files of batches of OpenAI, Anthropic, Bedrock and Vertex AI; errors of OpenAI, Anthropic and Gemini. */
function openRow(row: Body): Row {
  const { response, result, modelOutput } = row;
  if (isObject(response)) {
    const { body, status_code: status } = response;
    const code = typeof status === 'number' ? status : OK;
    return isObject(body)
      ? { body, status: code, path: ['response', 'body'] }
      : { body: response, status: code, path: ['response'] };
  }
  if (isObject(result)) {
    const { message } = result;
    if (isObject(message)) return { body: message, status: OK, path: ['result', 'message'] };
    return { body: result, status: statusOf(result), path: ['result'] };
  }
  if (isObject(modelOutput)) return { body: modelOutput, status: OK, path: ['modelOutput'] };
  return { body: row, status: statusOf(row), path: [] };
}

const OK = 200;
const FAILED = 500;
/** Of rows of Anthropic; those of Bedrock and OpenAI have an `error`. */
const FAILED_TYPES: ReadonlySet<unknown> = new Set(['error', 'errored', 'canceled', 'expired']);

const statusOf = ({ error, type }: Body): number => (isObject(error) || FAILED_TYPES.has(type) ? FAILED : OK);

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
