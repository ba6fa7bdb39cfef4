/** Source: https://docs.qualifire.ai */
import { isObject, parseJson } from '@gatehouse/crds';
import { partners } from '@gatehouse/crds/guardrails';
import type { JsonObject } from '../../../wire/contract.ts';
import type { CheckAnswer, CheckDefinition, CheckSubject } from '../../contract.ts';
import { CheckFault, faultOf } from '../../outbound/index.ts';
import {
  type Ask,
  contentText,
  definePartner,
  keyHeader,
  listAt,
  malformed,
  member,
  messagesOf,
  needObject,
  objectAt,
  once,
  textAt,
} from './engine/index.ts';

const shared = {
  onError: false,
  empty: 'asked',
  host: 'https://proxy.qualifire.ai',
  auth: keyHeader('x-qualifire-api-key'),
  path: '/api/evaluation/evaluate',
  read: ([reply]: readonly unknown[]): CheckAnswer => {
    const { status, error, evaluationResults } = needObject(reply, 'form');
    if (typeof status !== 'string') throw malformed('status');
    const verdict = status !== 'failed';
    if (error === undefined || error === null) return { verdict, data: evaluationResults };
    const message = typeof error === 'string' ? error : (textAt(error, 'message') ?? 'The service reports an error');
    return { verdict, data: evaluationResults, error: faultOf(new CheckFault('ServiceError', message)) };
  },
} as const;

const AFTER = { phase: 'output', verdict: true } as const;
const BEFORE = { phase: 'input', verdict: false } as const;

type Subject = Pick<Ask<unknown>, 'subject'>;

/** Question and, on the answer, what was answered. */
const conversation = ({ subject }: Subject): object => ({
  input: subject.requestText(),
  ...(subject.phase === 'output' && { output: subject.responseText() }),
});

const flagged = (entry: typeof partners.qualifirePii, flag: string): CheckDefinition =>
  definePartner(entry, { ...shared, bodies: once((ask) => ({ ...conversation(ask), [flag]: true })) });

const graded = (entry: typeof partners.qualifireGrounding, name: string): CheckDefinition =>
  definePartner(entry, {
    ...shared,
    only: AFTER,
    bodies: once((ask) => ({
      ...conversation(ask),
      [`${name}_check`]: true,
      [`${name}_mode`]: ask.parameters.mode,
    })),
  });

const promptInjections = definePartner(partners.qualifirePromptInjections, {
  ...shared,
  only: BEFORE,
  bodies: once((ask) => ({ ...conversation(ask), prompt_injections: true })),
});

const toolUseQuality = definePartner(partners.qualifireToolUseQuality, {
  ...shared,
  only: AFTER,
  bodies: once(({ subject, parameters }) => ({
    messages: [...messagesOf(subject.request).slice(-1), ...answerOf(subject)].map(plainMessage),
    available_tools: listAt(subject.request, 'tools').flatMap(toolOf),
    tool_selection_quality_check: true,
    tsq_mode: parameters.mode,
  })),
});

const answerOf = ({ response }: CheckSubject): readonly JsonObject[] => {
  const message = objectAt(response, 'choices', 0, 'message');
  return message === undefined ? [] : [message];
};

function plainMessage(message: JsonObject): object {
  const calls = listAt(message, 'tool_calls').map((call) => ({
    id: textAt(call, 'id'),
    name: textAt(call, 'function', 'name'),
    arguments: parsed(member(call, 'function', 'arguments')),
  }));
  return {
    role: message['role'],
    content: contentText(message['content']),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(typeof message['tool_call_id'] === 'string' && { tool_call_id: message['tool_call_id'] }),
  };
}

function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function toolOf(tool: unknown): readonly object[] {
  const described = objectAt(tool, 'function') ?? (isObject(tool) ? tool : undefined);
  if (described === undefined) return [];
  const { name, description, parameters } = described;
  return [{ name, description, parameters }];
}

const policy = definePartner(partners.qualifirePolicy, {
  ...shared,
  bodies: once((ask) => ({
    ...conversation(ask),
    assertions: ask.parameters.policies,
    assertions_mode: ask.parameters.mode,
    policy_target: ask.parameters.policy_target,
  })),
});

export const QUALIFIRE: readonly CheckDefinition[] = [
  flagged(partners.qualifireContentModeration, 'content_moderation_check'),
  flagged(partners.qualifirePii, 'pii_check'),
  promptInjections,
  graded(partners.qualifireGrounding, 'grounding'),
  graded(partners.qualifireHallucinations, 'hallucinations'),
  toolUseQuality,
  policy,
];
