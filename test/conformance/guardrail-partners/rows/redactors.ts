/** Checks that look at each text and may replace it. */
import { BEARER, CANARY, INPUT, JSON_TYPE, KEY, keyed, OUTPUT, PARTS, partsWith, type Row, TEXT } from '../row.ts';

const entities = (pass: boolean, positions: readonly (readonly [number, number])[] = []) => ({
  results: [{ evaluation_result: { pass, additional_info: { positions } } }],
});
const CLEAN = entities(true);

const patronus = (name: 'pii' | 'phi'): Row => ({
  id: `patronus.${name}`,
  credential: KEY,
  side: PARTS,
  sends: [TEXT, 'in Berlin'].map((text) => ({
    path: '/v1/evaluate',
    headers: keyed('x-api-key'),
    body: { evaluators: [{ evaluator: name, explain_strategy: 'always' }], evaluated_model_output: text },
  })),
  pass: [CLEAN],
  fail: [CLEAN, entities(false, [[3, 9]])],
  malformed: [{}],
  redacts: [
    {
      rule: 'short words whole, of longer ones all but the ends',
      parameters: { redact: true },
      replies: [entities(false, [[11, 15]]), entities(false, [[3, 9]])],
      verdict: true,
      body: partsWith('My name is ****', 'in B****n'),
    },
    {
      rule: 'of positions that overlap the longest',
      parameters: { redact: true },
      replies: [
        entities(false, [
          [3, 7],
          [3, 15],
        ]),
        CLEAN,
      ],
      verdict: true,
      body: partsWith('My n**********e', 'in Berlin'),
    },
    {
      rule: 'texts of an embedding',
      parameters: { redact: true },
      side: { phase: 'input', requestType: 'embed', request: { model: 'm1', input: [TEXT] } },
      replies: [entities(false, [[11, 15]])],
      verdict: true,
      body: { model: 'm1', input: ['My name is ****'] },
    },
  ],
  also: [
    {
      rule: 'fails where it does not know what to redact',
      parameters: { redact: true },
      replies: [entities(false)],
      verdict: false,
    },
  ],
  onError: false,
  empty: true,
  needs: { field: 'apiKey', verdict: false },
});

const pangea = (count: number, redacted?: readonly string[]) => ({
  status: 'Success',
  summary: `Found ${count}`,
  result: { count, ...(redacted !== undefined && { redacted_data: redacted }) },
});

const PANGEA: Row = {
  id: 'pangea.pii',
  credential: KEY,
  side: PARTS,
  sends: [{ path: '/v1/redact_structured', headers: BEARER, body: { data: [TEXT, '', 'in Berlin'] } }],
  pass: [pangea(0)],
  fail: [pangea(1, ['My name is <PERSON>', '', 'in Berlin'])],
  malformed: [{}, { status: 'Failed' }],
  redacts: [
    {
      rule: 'what the service has redacted',
      parameters: { redact: true },
      replies: [pangea(2, ['My name is <PERSON>', '', 'in <LOCATION>'])],
      verdict: true,
      body: partsWith('My name is <PERSON>', 'in <LOCATION>'),
    },
  ],
  also: [{ rule: 'shows the summary', verdict: true, data: { summary: 'Found 0' } }],
  onError: true,
  empty: true,
  needs: { field: 'apiKey', verdict: true },
};

const found = (flagged: boolean, pii: readonly object[] = []) => ({ results: [{ flagged, payload: { pii } }] });

const PROMPTFOO: Row = {
  id: 'promptfoo.pii',
  credential: { baseUrl: 'STUB' },
  side: PARTS,
  sends: [TEXT, 'in Berlin'].map((input) => ({ path: '/v1/pii', headers: JSON_TYPE, body: { input } })),
  pass: [found(false)],
  fail: [found(false), found(true, [{ entity_type: 'LOCATION', start: 3, end: 9 }])],
  malformed: [{}, { results: [{}] }],
  redacts: [
    {
      rule: 'each span by its kind',
      parameters: { redact: true },
      replies: [
        found(true, [
          { entity_type: 'NAME', start: 11, end: 15 },
          { entity_type: 'WORD', start: 0, end: 2 },
        ]),
        found(false),
      ],
      verdict: true,
      body: partsWith('[WORD] name is [NAME]', 'in Berlin'),
    },
  ],
  also: [
    {
      rule: 'fails where it does not know what to redact',
      parameters: { redact: true },
      replies: [found(true)],
      verdict: false,
    },
  ],
  onError: true,
  empty: true,
};

const scan = (outcome: string, redactedInput?: string) => ({
  result: { outcome },
  ...(redactedInput !== undefined && { redactedInput }),
});

const F5: Row = {
  id: 'f5-guardrails.scan',
  parameters: { projectId: 'p1' },
  credential: { apiKey: CANARY, calypsoUrl: 'STUB' },
  side: PARTS,
  sends: [TEXT, 'in Berlin'].map((input) => ({
    path: '/backend/v1/scans',
    headers: BEARER,
    body: { input, project: 'p1' },
  })),
  pass: [scan('cleared'), scan('redacted', 'x')],
  fail: [scan('cleared'), scan('flagged')],
  malformed: [{}, scan('odd')],
  redacts: [
    {
      rule: 'the texts that were redacted',
      parameters: { redact: true },
      replies: [scan('cleared', 'y'), scan('redacted', 'in ******')],
      verdict: true,
      body: partsWith(TEXT, 'in ******'),
    },
  ],
  also: [
    {
      rule: 'fails by a block, also with redaction',
      parameters: { redact: true },
      replies: [scan('redacted', 'x'), scan('blocked')],
      verdict: false,
      data: [{ outcome: 'redacted' }, { outcome: 'blocked' }],
    },
  ],
  onError: true,
  empty: true,
  needs: { field: 'apiKey', verdict: true },
};

const breakdown = (...types: readonly string[]) => types.map((detector_type) => ({ detector_type, detected: true }));

const LAKERA: Row = {
  id: 'lakera.guard',
  parameters: { projectID: 'project-1' },
  credential: { apiKey: CANARY, apiBase: 'STUB' },
  side: PARTS,
  sends: [
    {
      path: '/v2/guard',
      headers: BEARER,
      body: {
        messages: [
          { role: 'user', content: TEXT },
          { role: 'user', content: 'in Berlin' },
        ],
        project_id: 'project-1',
        payload: true,
        breakdown: true,
      },
    },
  ],
  pass: [{ flagged: false, breakdown: [{ detector_type: 'prompt_attack', detected: false }] }],
  fail: [
    {
      flagged: true,
      payload: [{ start: 11, end: 15, detector_type: 'pii/name', message_id: 0 }],
      breakdown: breakdown('pii/name', 'prompt_attack'),
    },
  ],
  malformed: [{}],
  redacts: [
    {
      rule: 'personal data alone',
      replies: [
        {
          flagged: true,
          payload: [{ start: 11, end: 15, detector_type: 'pii/name', message_id: 0 }],
          breakdown: breakdown('pii/name'),
        },
      ],
      verdict: true,
      body: partsWith('My name is [NAME]', 'in Berlin'),
    },
    {
      rule: 'to an end that belongs to the finding',
      parameters: { endInclusive: true },
      replies: [
        {
          flagged: true,
          payload: [{ start: 3, end: 8, detector_type: 'pii/address', message_id: 1 }],
          breakdown: breakdown('pii/address'),
        },
      ],
      verdict: true,
      body: partsWith(TEXT, 'in [ADDRESS]'),
    },
  ],
  also: [
    {
      rule: 'fails by personal data at no known place',
      replies: [{ flagged: true, payload: [], breakdown: breakdown('pii/name') }],
      verdict: false,
    },
    {
      rule: 'sends an answer as that of the assistant',
      side: OUTPUT,
      verdict: true,
      bodies: [
        {
          messages: [{ role: 'assistant', content: TEXT }],
          project_id: 'project-1',
          payload: true,
          breakdown: true,
        },
      ],
    },
  ],
  onError: false,
  empty: 'passes',
  needs: { field: 'apiKey', verdict: false },
};

const protect = (side: 'prompt' | 'response', result: object) => ({ result: { [side]: result } });

const promptsecurity = (id: string, side: 'prompt' | 'response'): Row => ({
  id: `promptsecurity.${id}`,
  parameters: { user: 'u1', userGroups: ['g1'], policy: { a: 1 } },
  credential: KEY,
  side: side === 'prompt' ? INPUT : OUTPUT,
  sends: [
    {
      path: '/api/protect',
      headers: keyed('app-id'),
      body: { [side]: TEXT, policy: { a: 1 }, user: 'u1', user_groups: ['g1'] },
    },
  ],
  pass: [protect(side, { passed: true })],
  fail: [protect(side, { passed: false, modified_text: 'x' })],
  malformed: [{}, protect(side, {})],
  also: [
    {
      rule: 'passes all where it only watches',
      parameters: { monitorOnly: true },
      replies: [protect(side, { passed: false, action: 'block' })],
      verdict: true,
      data: { action: 'block' },
    },
    {
      rule: 'fails where there is no other text',
      parameters: { redact: true },
      replies: [protect(side, { passed: false })],
      verdict: false,
    },
  ],
  redacts: [
    {
      rule: 'by the text of the service',
      parameters: { redact: true },
      replies: [protect(side, { passed: false, modified_text: 'My name is ***' })],
      verdict: true,
      body:
        side === 'prompt'
          ? {
              ...INPUT.request,
              messages: [
                { role: 'system', content: 'Be brief.' },
                { role: 'user', content: 'My name is ***' },
              ],
            }
          : { ...OUTPUT.response, choices: [{ index: 0, message: { role: 'assistant', content: 'My name is ***' } }] },
    },
  ],
  onError: false,
  empty: 'asked',
  needs: { field: 'apiKey', verdict: false },
});

export const REDACTORS: readonly Row[] = [
  patronus('pii'),
  patronus('phi'),
  PANGEA,
  PROMPTFOO,
  F5,
  LAKERA,
  promptsecurity('protectPrompt', 'prompt'),
  promptsecurity('protectResponse', 'response'),
];
