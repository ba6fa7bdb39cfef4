/** Source: https://docs.patronus.ai/docs/api_ref */
import { partners } from '@gatehouse/crds/guardrails';
import type { CheckAnswer, CheckDefinition } from '../../contract.ts';
import { CheckFault, faultOf } from '../../outbound/index.ts';
import {
  type Ask,
  definePartner,
  eachText,
  keyHeader,
  listAt,
  member,
  needObject,
  numberAt,
  once,
  replaceSpans,
  replaceTexts,
  type Span,
  textAt,
} from './engine/index.ts';

const service = {
  onError: false,
  host: 'https://api.patronus.ai',
  auth: keyHeader('x-api-key'),
  path: '/v1/evaluate',
} as const;

const evaluator = (name: string, criteria?: string): object => ({
  evaluator: name,
  explain_strategy: 'always',
  ...(criteria === undefined ? {} : { criteria }),
});

/** Passed or not, and why that is not known. */
interface Evaluation {
  readonly pass: boolean;
  readonly error: string | undefined;
  readonly details: unknown;
}

function readEvaluation(reply: unknown): Evaluation {
  const result = needObject(reply, 'result', 'results', 0);
  return {
    pass: member(result, 'evaluation_result', 'pass') === true,
    error: textAt(result, 'error_message'),
    details: member(result, 'evaluation_result', 'additional_info') ?? null,
  };
}

const errorOf = (message: string | undefined): Pick<CheckAnswer, 'error'> =>
  message === undefined ? {} : { error: faultOf(new CheckFault('ServiceError', message)) };

const judgement = {
  ...service,
  empty: 'asked',
  only: { phase: 'output', verdict: true },
  read: ([reply]: readonly unknown[]): CheckAnswer => {
    const { pass, error, details } = readEvaluation(reply);
    return { verdict: pass, data: details, ...errorOf(error) };
  },
} as const;

const conversation = ({ subject }: Pick<Ask<unknown>, 'subject'>): object => ({
  evaluated_model_input: subject.requestText(),
  evaluated_model_output: subject.responseText(),
});

function judged(entry: typeof partners.patronusIsConcise, name: string, criteria?: string): CheckDefinition {
  return definePartner(entry, {
    ...judgement,
    bodies: once((ask) => ({ evaluators: [evaluator(name, criteria)], ...conversation(ask) })),
  });
}

const custom = definePartner(partners.patronusCustom, {
  ...judgement,
  bodies: once((ask) => {
    const profile = ask.parameters.profile ?? ask.parameters.criteria ?? '';
    const colon = profile.indexOf(':');
    const [name, criteria] = colon < 0 ? ['judge', profile] : [profile.slice(0, colon), profile.slice(colon + 1)];
    return { evaluators: [evaluator(name, criteria)], ...conversation(ask) };
  }),
});

/** Short ones are hidden whole; of others the first and last characters stay. */
const masked = (found: string): string =>
  found.length <= 4 ? '*'.repeat(found.length) : `${found[0]}${'*'.repeat(found.length - 2)}${found.at(-1)}`;

const spansOf = (details: unknown): Span[] =>
  listAt(details, 'positions').map((position) => ({
    start: numberAt(position, 0) ?? -1,
    end: numberAt(position, 1) ?? -1,
  }));

function entities(entry: typeof partners.patronusPii, name: 'pii' | 'phi'): CheckDefinition {
  return definePartner(entry, {
    ...service,
    empty: true,
    bodies: eachText((text) => ({ evaluators: [evaluator(name)], evaluated_model_output: text })),
    read: (replies, { parameters, subject, texts }) => {
      const found = replies.map(readEvaluation);
      const data = found.map(({ details }) => details);
      const error = found.find((evaluation) => evaluation.error !== undefined)?.error;
      const isClean = found.every(({ pass }) => pass);
      if (isClean || error !== undefined || !parameters.redact) return { verdict: isClean, data, ...errorOf(error) };
      const spans = found.map(({ pass, details }) => (pass ? [] : spansOf(details)));
      // What was found at no known position cannot be redacted.
      if (found.some(({ pass }, i) => !pass && spans[i]?.length === 0)) return { verdict: false, data };
      const redacted = texts.map(({ text }, i) => replaceSpans(text, spans[i] ?? [], masked));
      return { verdict: true, data, transformed: replaceTexts(subject, texts, redacted) };
    },
  });
}

export const PATRONUS: readonly CheckDefinition[] = [
  judged(partners.patronusIsConcise, 'judge', 'patronus:is-concise'),
  judged(partners.patronusIsHelpful, 'judge', 'patronus:is-helpful'),
  judged(partners.patronusIsPolite, 'judge', 'patronus:is-polite'),
  judged(partners.patronusNoApologies, 'judge', 'patronus:no-apologies'),
  judged(partners.patronusNoGenderBias, 'judge', 'patronus:no-gender-bias'),
  judged(partners.patronusNoRacialBias, 'judge', 'patronus:no-racial-bias'),
  judged(partners.patronusRetrievalAnswerRelevance, 'answer-relevance'),
  judged(partners.patronusToxicity, 'toxicity'),
  custom,
  entities(partners.patronusPii, 'pii'),
  entities(partners.patronusPhi, 'phi'),
];
