/** Checks that send one text and read one verdict. */
import { BEARER, CANARY, INPUT, JSON_TYPE, KEY, keyed, OUTPUT, type Row, TEXT } from '../row.ts';

const scores = (scored: object) => ({ category_scores: scored });

const SYDEGUARD: Row = {
  id: 'sydelabs.sydeguard',
  credential: KEY,
  side: INPUT,
  sends: [{ path: '/api/v1/guard/generate-score', headers: keyed('x-api-key'), body: { prompt: TEXT } }],
  pass: [scores({ PROMPT_INJECT: 0.5, TOXIC: 0, EVASION: 0.1 })],
  fail: [scores({ PROMPT_INJECT: 0.51 })],
  malformed: [{}, { category_scores: null }],
  also: [
    { rule: 'fails by toxicity', replies: [scores({ TOXIC: 0.9 })], verdict: false },
    { rule: 'fails by evasion', replies: [scores({ EVASION: 0.9 })], verdict: false },
    {
      rule: 'has thresholds of its own',
      parameters: { prompt_injection_threshold: 0.95 },
      replies: [scores({ PROMPT_INJECT: 0.9 })],
      verdict: true,
    },
  ],
  onError: false,
  empty: 'asked',
  needs: { field: 'apiKey', verdict: false },
};

const pillar = (id: string, kind: string, side: Row['side']): Row => ({
  id,
  parameters: { scanners: ['pii', 'secrets'] },
  credential: KEY,
  side,
  sends: [
    {
      path: `/api/v1/scan/${kind}`,
      headers: BEARER,
      body: { message: TEXT, scanners: { pii: true, secrets: true } },
    },
  ],
  pass: [{ pii: false, secrets: null }],
  fail: [{ pii: ['name'] }],
  also: [
    { rule: 'passes with an error without scanners', parameters: { scanners: [] }, verdict: true, hasError: true },
    { rule: 'fails by any finding', replies: [{ pii: false, toxic_language: {} }], verdict: false },
  ],
  onError: false,
  empty: 'asked',
  needs: { field: 'apiKey', verdict: false },
});

const flagged = (categories: object) => ({ results: [{ categories }] });

const MISTRAL: Row = {
  id: 'mistral.moderateContent',
  parameters: { categories: ['pii', 'law'] },
  credential: KEY,
  side: INPUT,
  sends: [
    {
      path: '/v1/chat/moderations',
      headers: BEARER,
      body: { model: 'mistral-moderation-latest', input: [INPUT.request['messages']] },
    },
  ],
  pass: [flagged({ pii: false, law: false, sexual: true })],
  fail: [flagged({ pii: true, law: false })],
  malformed: [{}, { results: [] }],
  also: [
    {
      rule: 'sends the text alone of an answer',
      side: OUTPUT,
      verdict: true,
      bodies: [{ model: 'mistral-moderation-latest', input: [TEXT] }],
      data: { flagged_categories: [] },
    },
    {
      rule: 'names the categories',
      replies: [flagged({ pii: true })],
      verdict: false,
      data: { flagged_categories: ['pii'] },
    },
  ],
  onError: true,
  empty: false,
  needs: { field: 'apiKey', verdict: false },
};

const guard = (detectors: object) => ({ status: 'Success', result: { detectors } });

const PANGEA: Row = {
  id: 'pangea.textGuard',
  parameters: { recipe: 'r1', debug: true, overrides: { a: 1 } },
  credential: KEY,
  side: INPUT,
  sends: [
    {
      path: '/v1/text/guard',
      headers: BEARER,
      body: { text: TEXT, recipe: 'r1', debug: true, overrides: { a: 1 } },
    },
  ],
  pass: [guard({ prompt_injection: { detected: false }, language_detection: { detected: true } })],
  fail: [guard({ secrets_detection: { detected: true } })],
  malformed: [{}, { status: 'Unauthorized' }, { status: 'Success' }],
  also: [
    { rule: 'fails by personal data', replies: [guard({ pii_entity: { detected: true } })], verdict: false },
    { rule: 'fails by entities of its own', replies: [guard({ custom_entity: { detected: true } })], verdict: false },
  ],
  onError: true,
  empty: true,
  needs: { field: 'apiKey', verdict: true },
};

const PROMPTFOO_GUARD: Row = {
  id: 'promptfoo.guard',
  credential: { baseUrl: 'STUB' },
  side: INPUT,
  sends: [{ path: '/v1/guard', headers: JSON_TYPE, body: { input: TEXT } }],
  pass: [{ results: [{ categories: { jailbreak: false, prompt_injection: true } }] }],
  fail: [{ results: [{ categories: { jailbreak: true } }] }],
  malformed: [{}, { results: [] }, { results: [{}] }],
  onError: true,
  empty: 'asked',
};

const PROMPTFOO_HARM: Row = {
  id: 'promptfoo.harm',
  credential: { baseUrl: 'STUB' },
  side: OUTPUT,
  sends: [{ path: '/v1/harm', headers: JSON_TYPE, body: { input: TEXT } }],
  pass: [{ results: [{ flagged: false }] }],
  fail: [{ results: [{ flagged: true }] }],
  malformed: [{}, { results: [{}] }],
  onError: true,
  empty: 'asked',
};

const safety = (isSafe: boolean) => ({ data: { safety: [{ isSafe }] } });

const WALLEDAI: Row = {
  id: 'walledai.walledprotect',
  parameters: { compliance_list: ['no advice'] },
  credential: KEY,
  side: INPUT,
  sends: [
    {
      path: '/v1/walled-protect',
      headers: keyed('x-api-key'),
      body: {
        text: TEXT,
        generic_safety_check: true,
        greetings_list: ['Casual & Friendly'],
        pii_list: [
          ...["Person's Name", 'Address', 'Email Id', 'Contact No', 'Date Of Birth', 'Unique Id', 'Financial Data'],
        ],
        compliance_list: ['no advice'],
      },
    },
  ],
  pass: [safety(true)],
  fail: [safety(false)],
  malformed: [{}, { data: { safety: [] } }],
  onError: true,
  empty: true,
  needs: { field: 'apiKey', verdict: true },
};

const assessment = (request_reject: boolean) => ({
  promptinjectiondetection: { request_reject, results: { reject_prompt: 'No.' } },
});

const JAVELIN: Row = {
  id: 'javelin.guardrails',
  credential: { ...KEY, application: 'app-1' },
  side: INPUT,
  sends: [
    {
      path: '/v1/guardrails/apply',
      headers: { ...keyed('x-javelin-apikey'), 'x-javelin-application': 'app-1' },
      body: { input: { text: TEXT }, config: {}, metadata: {} },
    },
  ],
  pass: [{ assessments: [assessment(false)] }],
  fail: [{ assessments: [assessment(false), assessment(true)] }],
  malformed: [{}],
  also: [
    {
      rule: 'tells that all passed',
      verdict: true,
      data: { all_passed: true, assessments: [assessment(false)] },
    },
    {
      rule: 'tells what was flagged',
      replies: [{ assessments: [assessment(true)] }],
      verdict: false,
      data: { flagged_assessments: [assessment(true)], reject_prompt: 'No.' },
    },
  ],
  onError: true,
  empty: true,
  needs: { field: 'application', verdict: true },
};

const ZSCALER: Row = {
  id: 'zscaler.guardrails',
  parameters: { policyId: 'p1' },
  credential: { zscalerApiKey: CANARY, baseUrl: 'STUB' },
  side: OUTPUT,
  sends: [
    {
      path: '/v1/detection/execute-policy',
      headers: BEARER,
      body: { policyId: 'p1', direction: 'OUT', content: TEXT },
    },
  ],
  pass: [{ action: 'ALLOW', detectorResponses: { pii: { action: 'ALLOW' } } }],
  fail: [{ action: 'BLOCK' }],
  malformed: [{}],
  also: [
    {
      rule: 'fails by a detector alone',
      replies: [{ action: 'DETECT', detectorResponses: { toxicity: { action: 'BLOCK' } } }],
      verdict: false,
      data: { zscalerAction: 'DETECT', blockReason: 'Blocked by the detectors toxicity' },
    },
    {
      rule: 'counts detectors whose names are no texts',
      replies: [{ action: 'DETECT', detectorResponses: [{ name: { toString: 0 }, action: 'BLOCK' }] }],
      verdict: false,
      data: { zscalerAction: 'DETECT', blockReason: 'Blocked by the detectors 0' },
    },
    {
      rule: 'sends the direction of a request',
      side: INPUT,
      verdict: true,
      bodies: [{ policyId: 'p1', direction: 'IN', content: TEXT }],
    },
  ],
  onError: false,
  empty: true,
  needs: { field: 'zscalerApiKey', verdict: true },
};

const AKTO: Row = {
  id: 'akto.scan',
  credential: KEY,
  side: INPUT,
  sends: [
    {
      path: '/api/validate/request',
      headers: BEARER,
      body: {
        path: '/v1/chat/completions',
        method: 'POST',
        requestPayload: JSON.stringify({ body: TEXT }),
        time: '1760000000000',
        source: 'MIRRORING',
        contextSource: 'ENDPOINT',
      },
    },
  ],
  pass: [{ Allowed: true, Modified: true, ModifiedPayload: 'x' }],
  fail: [{ Allowed: false }],
  malformed: [{}],
  onError: true,
  empty: true,
  needs: { field: 'apiKey', verdict: true },
};

export const SCANNERS: readonly Row[] = [
  SYDEGUARD,
  pillar('pillar.scanPrompt', 'prompt', INPUT),
  pillar('pillar.scanResponse', 'response', OUTPUT),
  MISTRAL,
  PANGEA,
  PROMPTFOO_GUARD,
  PROMPTFOO_HARM,
  WALLEDAI,
  JAVELIN,
  ZSCALER,
  AKTO,
];
