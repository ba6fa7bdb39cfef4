/** Questions of checks to a model: chat completions within a request, without guardrails; docs/behaviour/guardrails.md#a-model-as-the-judge. */
import { isObject } from '@gatehouse/crds';
import { type AppError, toAppError } from '../errors/index.ts';
import { CheckFault, type ModelQuestion, type ModelReply } from '../guardrails/index.ts';
import type { ByteAccount } from '../lib/byte-budget.ts';
import type { CancelSignal } from '../lib/cancellation.ts';
import { countWhole } from '../record/index.ts';
import { compilePlan } from '../routing/index.ts';
import {
  type AttemptInput,
  type AttemptOutcome,
  type AttemptPorts,
  attemptTarget,
  spentFacts,
} from './attempt/index.ts';
import type { ClientRequest, Exchange } from './exchange.ts';
import { type AskModel, parseAnswer } from './guardrails/index.ts';
import { OPERATIONS, type Operation } from './operations/index.ts';
import { HeaderOverrides, providerOfModel } from './resolve/index.ts';

/** No guardrail looks at what a guardrail asks. */
const { checkedAs: _, ...QUESTION }: Operation = OPERATIONS.chatComplete;

/** One target: the account of the question. */
const PLAN = compilePlan({}, { saved: undefined, credential: () => undefined });

/** `attempts`: those that requests are made with, which exist when the first question comes. */
export function createAskModel(attempts: () => AttemptPorts): AskModel {
  return async (input, question, { signal }) => {
    const ports = attempts();
    const memory = ports.guardrails.openMemory();
    const tasks: (() => void)[] = [];
    try {
      const exchange = innerExchange(input.exchange, { signal, memory, atEnd: (task) => void tasks.push(task) });
      return await ask(ports, { input, question, exchange });
    } finally {
      for (const task of tasks) task();
      memory.close();
    }
  };
}

interface Question {
  /** Of the request that is checked. */
  readonly input: AttemptInput;
  readonly question: ModelQuestion;
  readonly exchange: Exchange;
}

async function ask(ports: AttemptPorts, { input, question, exchange }: Question): Promise<ModelReply> {
  const inner = innerInput(ports, { input, question, exchange });
  if (PLAN.root.kind !== 'leaf') throw new Error('a plan without strategy is one target');
  const outcome = await attemptTarget(ports, inner, PLAN.root);
  const { body, hold, status } = outcome;
  if (outcome.error !== undefined || status !== 200 || body.kind === 'stream') {
    if (body.kind === 'stream') body.upstream.discard();
    input.tried.push(outcome);
    hold?.settle({ status, usage: undefined, cost: undefined });
    throw faultOf(outcome);
  }
  const requestBytes = inner.resolution.body.kind === 'json' ? inner.resolution.body.bytes.length : 0;
  const withheld = countWhole(QUESTION, requestBytes, body);
  const counted: AttemptOutcome = { ...outcome, withheld, counted: undefined };
  input.tried.push(counted);
  hold?.settle({ ...spentFacts(counted, exchange), status });
  const { usage } = withheld;
  return {
    text: textOf(parseAnswer(body.bytes, ports.json)),
    usage: usage && { inputTokens: usage.input, outputTokens: usage.output },
  };
}

/** The account of the model, and nothing else of the request: neither its config nor its headers. */
function innerInput(ports: AttemptPorts, { input, question, exchange }: Question): AttemptInput {
  const { model, messages, maxTokens } = question;
  const caller = { ...input.caller, credential: undefined };
  const { request, snapshot } = exchange;
  const { providers, hosts } = ports;
  const named = accountOf(() => providerOfModel(model, { request, caller, snapshot, providers, hosts }));
  const value = { model: named.model, messages, max_completion_tokens: maxTokens };
  return {
    exchange,
    caller,
    resolution: {
      plan: PLAN,
      body: { kind: 'json', bytes: Buffer.from(JSON.stringify(value)), value },
      params: value,
      metadata: input.resolution.metadata,
      requestProvider: named.provider,
      headerOverrides: new HeaderOverrides(request, hosts),
    },
    calls: input.calls,
    tried: [],
    log: {}, // the client is not told the limits of this account
  };
}

function accountOf<T>(find: () => T | undefined): T {
  try {
    const found = find();
    if (found !== undefined) return found;
  } catch (error) {
    throw new CheckFault('CredentialError', toAppError(error).message);
  }
  throw new CheckFault('CredentialError', 'The model is no model of an account: expected @provider/model');
}

type Own = Pick<Exchange, 'signal' | 'atEnd'> & { readonly memory: ByteAccount; readonly signal: CancelSignal };

/** An exchange with a client that sends no header. */
const innerExchange = ({ snapshot, startedMs, trace }: Exchange, own: Own): Exchange => ({
  operation: QUESTION,
  request: REQUEST,
  snapshot,
  startedMs,
  trace,
  ...own,
});

const REQUEST: ClientRequest = {
  method: 'POST',
  path: '/v1/chat/completions',
  query: '',
  route: {},
  header: () => undefined,
  headers: () => [],
  checkLength: () => {},
  readBody: () => Promise.resolve({ kind: 'none' }),
};

/** Answers of providers may quote the question: only their status is said. */
function faultOf({ status, error }: AttemptOutcome): CheckFault | AppError {
  if (error === undefined) return new CheckFault('HttpError', `The model answered with status ${status}`, { status });
  return error.code.startsWith('UPSTREAM_') ? error : new CheckFault('HttpError', error.message);
}

function textOf(answer: Readonly<Record<string, unknown>> | undefined): string {
  const choices = answer?.['choices'];
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = isObject(choice) ? choice['message'] : undefined;
  const content = isObject(message) ? message['content'] : undefined;
  return typeof content === 'string' ? content : '';
}
