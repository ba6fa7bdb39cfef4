/** Checks that judge question and answer. */
import { asked, INPUT, KEY, keyed, OUTPUT, type Row, TEXT } from '../row.ts';

const QUESTION = 'Who are you?';
const evaluated = (pass: boolean, over: object = {}) => ({
  results: [{ evaluation_result: { pass, additional_info: { confidence: 1 } }, error_message: null, ...over }],
});

const PATRONUS = {
  credential: KEY,
  side: OUTPUT,
  pass: [evaluated(true)],
  fail: [evaluated(false)],
  malformed: [{}, { results: [] }],
  also: [
    {
      rule: 'shows what the service reports',
      replies: [evaluated(false, { error_message: 'no judge is free' })],
      verdict: false,
      hasError: true,
    },
    { rule: 'has the details of the judgement', verdict: true, data: { confidence: 1 } },
  ],
  onError: false,
  empty: 'asked',
  needs: { field: 'apiKey', verdict: false },
  otherPhase: true,
} as const satisfies Partial<Row>;

function patronus(
  name: string,
  evaluator: string,
  { criteria, parameters }: { criteria?: string; parameters?: object } = {},
): Row {
  return {
    ...PATRONUS,
    id: `patronus.${name}`,
    ...(parameters !== undefined && { parameters }),
    sends: [
      {
        path: '/v1/evaluate',
        headers: keyed('x-api-key'),
        body: {
          evaluators: [{ evaluator, explain_strategy: 'always', ...(criteria !== undefined && { criteria }) }],
          evaluated_model_input: QUESTION,
          evaluated_model_output: TEXT,
        },
      },
    ],
  };
}

const QUALIFIRE = {
  credential: KEY,
  pass: [{ status: 'success', evaluationResults: [{ type: 'pii' }] }],
  fail: [{ status: 'failed', evaluationResults: [{ type: 'pii' }] }],
  malformed: [{}],
  also: [
    {
      rule: 'shows what the service reports',
      replies: [{ status: 'failed', error: 'no model is free' }],
      verdict: false,
      hasError: true,
    },
  ],
  onError: false,
  empty: 'asked',
  needs: { field: 'apiKey', verdict: false },
} as const satisfies Partial<Row>;

function qualifire(name: string, extra: object, over: Partial<Row> = {}): Row {
  const side = over.side ?? OUTPUT;
  const conversation = side.phase === 'input' ? { input: TEXT } : { input: QUESTION, output: TEXT };
  return {
    ...QUALIFIRE,
    id: `qualifire.${name}`,
    side,
    sends: [
      {
        path: '/api/evaluation/evaluate',
        headers: keyed('x-qualifire-api-key'),
        body: { ...conversation, ...extra },
      },
    ],
    ...over,
  };
}

const CALL = { id: 't1', type: 'function', function: { name: 'weather', arguments: '{"city":"Berlin"}' } };
const TOOL = { name: 'weather', description: 'tells the weather', parameters: { type: 'object' } };

const TOOL_USE = qualifire(
  'toolUseQuality',
  {},
  {
    side: {
      phase: 'output',
      request: { ...asked('Weather?'), tools: [{ type: 'function', function: TOOL }] },
      response: { choices: [{ message: { role: 'assistant', content: null, tool_calls: [CALL] } }] },
    },
    parameters: { mode: 'quality' },
    sends: [
      {
        path: '/api/evaluation/evaluate',
        headers: keyed('x-qualifire-api-key'),
        body: {
          messages: [
            { role: 'user', content: 'Weather?' },
            {
              role: 'assistant',
              content: '',
              tool_calls: [{ id: 't1', name: 'weather', arguments: { city: 'Berlin' } }],
            },
          ],
          available_tools: [TOOL],
          tool_selection_quality_check: true,
          tsq_mode: 'quality',
        },
      },
    ],
    otherPhase: true,
  },
);

export const JUDGES: readonly Row[] = [
  patronus('isConcise', 'judge', { criteria: 'patronus:is-concise' }),
  patronus('isHelpful', 'judge', { criteria: 'patronus:is-helpful' }),
  patronus('isPolite', 'judge', { criteria: 'patronus:is-polite' }),
  patronus('noApologies', 'judge', { criteria: 'patronus:no-apologies' }),
  patronus('noGenderBias', 'judge', { criteria: 'patronus:no-gender-bias' }),
  patronus('noRacialBias', 'judge', { criteria: 'patronus:no-racial-bias' }),
  patronus('retrievalAnswerRelevance', 'answer-relevance'),
  patronus('toxicity', 'toxicity'),
  patronus('custom', 'lynx', { criteria: 'my:rule', parameters: { profile: 'lynx:my:rule' } }),
  patronus('custom', 'judge', { criteria: 'my-rule', parameters: { criteria: 'my-rule' } }),
  qualifire('contentModeration', { content_moderation_check: true }),
  qualifire('pii', { pii_check: true }, { side: INPUT }),
  qualifire('promptInjections', { prompt_injections: true }, { side: INPUT, otherPhase: false }),
  qualifire('grounding', { grounding_check: true, grounding_mode: 'balanced' }, { otherPhase: true }),
  qualifire(
    'hallucinations',
    { hallucinations_check: true, hallucinations_mode: 'speed' },
    { parameters: { mode: 'speed' }, otherPhase: true },
  ),
  TOOL_USE,
  qualifire(
    'policy',
    { assertions: ['be kind'], assertions_mode: 'balanced', policy_target: 'both' },
    { parameters: { policies: ['be kind'] } },
  ),
];
