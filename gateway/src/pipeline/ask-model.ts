/** Questions of checks to a model: chat completions within a request, without guardrails; docs/behaviour/guardrails.md#a-model-as-the-judge. */
import { isObject } from '@gatehouse/crds';
import type { AppError } from '../errors/index.ts';
import { CheckFault } from '../guardrails/index.ts';
import type { AttemptPorts } from './attempt/index.ts';
import type { AskModel } from './guardrails/index.ts';
import { callAccount, type InnerAnswer } from './inner-call.ts';
import { OPERATIONS, type Operation } from './operations/index.ts';

/** No guardrail looks at what a guardrail asks. */
const { checkedAs: _, ...QUESTION }: Operation = OPERATIONS.chatComplete;

/** `attempts`: those that requests are made with, which exist when the first question comes. */
export function createAskModel(attempts: () => AttemptPorts): AskModel {
  return async (input, { model: asked, messages, maxTokens }, { signal }) => {
    const bodyOf = (model: string) => ({ model, messages, max_completion_tokens: maxTokens });
    const answer = await callAccount(attempts(), { input, operation: QUESTION, model: asked, bodyOf, signal });
    if (answer.kind !== 'answer') throw faultOf(answer);
    const { usage, value } = answer;
    return {
      text: textOf(value),
      usage: usage && { inputTokens: usage.input, outputTokens: usage.output },
    };
  };
}

/** Answers of providers may quote the question: only their status is said. */
function faultOf(answer: Exclude<InnerAnswer, { readonly kind: 'answer' }>): CheckFault | AppError {
  if (answer.kind === 'no-account') return new CheckFault('CredentialError', answer.message);
  const { status, error } = answer;
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
