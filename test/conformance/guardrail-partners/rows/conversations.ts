/** Checks that see more than the last message. */
import {
  answered,
  asked,
  BEARER,
  CANARY,
  INPUT,
  KEY,
  keyed,
  OUTPUT,
  PARTS,
  partsWith,
  type Row,
  type Side,
  TEXT,
} from '../row.ts';

const LONG: Side = {
  phase: 'input',
  request: {
    model: 'm1',
    messages: [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'three' },
          { type: 'text', text: 'four' },
        ],
      },
      { role: 'tool', tool_call_id: 't1', content: 'five' },
    ],
  },
};

const APORIA: Row = {
  id: 'aporia.validateProject',
  parameters: { projectID: 'a/b' },
  credential: { apiKey: CANARY, apiEndpoint: 'STUB' },
  side: PARTS,
  sends: [
    {
      path: '/a%2Fb/validate',
      headers: keyed('x-aporia-api-key'),
      body: {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: `${TEXT}\nin Berlin` },
        ],
        explain: true,
        validation_target: 'prompt',
      },
    },
  ],
  pass: [{ action: 'passthrough' }],
  fail: [{ action: 'block' }],
  also: [
    { rule: 'applies no revision', replies: [{ action: 'rephrase', revised_response: 'x' }], verdict: false },
    {
      rule: 'sends the answer',
      side: OUTPUT,
      verdict: true,
      bodies: [
        {
          messages: asked('Who are you?')['messages'],
          explain: true,
          validation_target: 'response',
          response: TEXT,
        },
      ],
    },
    {
      rule: 'makes a message of a prompt',
      side: { phase: 'input', requestType: 'complete', request: { prompt: TEXT } },
      verdict: true,
      bodies: [{ messages: [{ role: 'user', content: TEXT }], explain: true, validation_target: 'prompt' }],
    },
  ],
  onError: false,
  empty: 'asked',
  needs: { field: 'apiKey', verdict: false },
};

const finding = (action: string) => ({ violations_detected: true, findings: { jailbreak: [{ action }] } });

const LASSO: Row = {
  id: 'lasso.classify',
  parameters: { conversationId: 'conversation-1', userId: 'user-1' },
  credential: { apiKey: CANARY, apiEndpoint: 'STUB' },
  side: LONG,
  sends: [
    {
      path: '/gateway/v3/classify',
      headers: keyed('lasso-api-key'),
      body: {
        messages: [
          { role: 'user', content: 'one' },
          { role: 'assistant', content: 'two' },
          { role: 'user', content: 'three\nfour' },
          { role: 'user', content: 'five' },
        ],
        messageType: 'PROMPT',
        sessionId: 'conversation-1',
        userId: 'user-1',
      },
    },
  ],
  pass: [{ violations_detected: false }],
  fail: [finding('BLOCK')],
  malformed: [{}, { violations_detected: 'no' }],
  also: [
    { rule: 'passes a warning', replies: [finding('WARN')], verdict: true },
    { rule: 'passes what is masked', replies: [finding('AUTO_MASKING')], verdict: true },
    {
      rule: 'fails by a list of findings',
      replies: [{ violations_detected: true, findings: [{ action: 'BLOCK' }] }],
      verdict: false,
    },
    {
      rule: 'sends the answer',
      side: OUTPUT,
      verdict: true,
      bodies: [
        {
          messages: [{ role: 'assistant', content: TEXT }],
          messageType: 'COMPLETION',
          sessionId: 'conversation-1',
          userId: 'user-1',
        },
      ],
    },
    {
      rule: 'passes requests of the Responses API without a call',
      side: { phase: 'input', requestType: 'createModelResponse', request: { input: TEXT } },
      verdict: true,
      bodies: [],
    },
  ],
  onError: false,
  empty: 'passes',
  needs: { field: 'apiKey', verdict: false },
};

const contents = (given: object) => ({
  tr_id: 'trace-1',
  metadata: { ai_model: 'unknown-model', app_user: 'gw-gateway', app_name: 'gw-shop' },
  contents: [given],
  ai_profile: { profile_name: 'strict' },
});

const PANW: Row = {
  id: 'panw-prisma-airs.intercept',
  parameters: { profile_name: 'strict', app_name: 'shop' },
  credential: { AIRS_API_KEY: CANARY, baseUrl: 'STUB' },
  side: LONG,
  sends: [{ path: '/v1/scan/sync/request', headers: keyed('x-pan-token'), body: contents({ prompt: 'five' }) }],
  pass: [{ action: 'allow' }],
  fail: [{ action: 'block', category: 'malicious' }],
  malformed: [{}, { action: 1 }, { action: 'odd' }],
  also: [
    {
      rule: 'scans the last message of the user',
      parameters: { scan_scope: 'last_user_message' },
      verdict: true,
      bodies: [contents({ prompt: 'three\nfour' })],
    },
    {
      rule: 'scans all messages of the user',
      parameters: { scan_scope: 'user_messages' },
      verdict: true,
      bodies: [contents({ prompt: 'one\nthree\nfour' })],
    },
    {
      rule: 'scans all messages',
      parameters: { scan_scope: 'all_messages' },
      verdict: true,
      bodies: [contents({ prompt: 'one\ntwo\nthree\nfour\nfive' })],
    },
    {
      rule: 'scans the answer',
      side: OUTPUT,
      parameters: { scan_scope: 'all_messages' },
      verdict: true,
      bodies: [contents({ response: TEXT })],
    },
  ],
  onError: false,
  empty: 'asked',
  needs: { field: 'AIRS_API_KEY', verdict: true },
};

const guarded = (result: object) => ({ status: 'Success', result });
const CALLER = { user_id: 'user-1', llm_provider: 'openai', model: 'm1', extra_info: { user_name: 'Jo' } };

const CROWDSTRIKE: Row = {
  id: 'crowdstrike-aidr.guardChatCompletions',
  credential: KEY,
  side: INPUT,
  sends: [
    {
      path: '/v1/guard_chat_completions',
      headers: BEARER,
      body: { guard_input: INPUT.request, event_type: 'input', app_id: 'gw AI Gateway', ...CALLER },
    },
  ],
  pass: [guarded({ blocked: false, transformed: false })],
  fail: [guarded({ blocked: true, policy: 'strict' })],
  malformed: [{}, { status: 'Denied' }, { status: 'Success' }],
  redacts: [
    {
      rule: 'the whole request',
      parameters: { redact: true },
      replies: [guarded({ transformed: true, guard_output: asked('My name is ***') })],
      verdict: true,
      body: asked('My name is ***'),
    },
    {
      rule: 'the whole answer',
      parameters: { redact: true },
      side: OUTPUT,
      replies: [guarded({ transformed: true, guard_output: answered('***') })],
      verdict: true,
      body: answered('***'),
    },
  ],
  also: [
    {
      rule: 'fails by what would be changed',
      replies: [guarded({ transformed: true, guard_output: {} })],
      verdict: false,
    },
    {
      rule: 'names the policy',
      replies: [guarded({ blocked: true, policy: 'strict' })],
      verdict: false,
      data: { explanation: 'Blocked by policy strict' },
    },
    {
      rule: 'has an error where nothing to write comes',
      parameters: { redact: true },
      replies: [guarded({ transformed: true })],
      verdict: true,
      hasError: true,
    },
  ],
  onError: true,
  empty: 'asked',
  needs: { field: 'baseUrl', verdict: true },
};

const action = (action_type: string | undefined, contents: readonly string[] = []) => ({
  required_action: action_type === undefined ? null : { action_type },
  redacted_chat: {
    all_redacted_messages: [
      { role: 'system', content: 'Be brief.' },
      ...contents.map((content) => ({ role: 'user', content })),
    ],
  },
});

const CATO: Row = {
  id: 'cato.analyze',
  parameters: { userEmail: 'jo@corp.example', keyAlias: 'team-1' },
  credential: KEY,
  side: PARTS,
  sends: [
    {
      path: '/fw/v1/analyze',
      headers: { ...BEARER, 'x-cato-user-email': 'jo@corp.example', 'x-cato-gateway-key-alias': 'team-1' },
      body: {
        model: 'm1',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: TEXT },
          { role: 'user', content: 'in Berlin' },
        ],
      },
    },
  ],
  pass: [action(undefined)],
  fail: [action('block_action')],
  redacts: [
    {
      rule: 'each text',
      replies: [action('anonymize_action', ['My name is ***', 'in ***'])],
      verdict: true,
      body: partsWith('My name is ***', 'in ***'),
    },
  ],
  also: [
    { rule: 'passes what is only watched', replies: [action('monitor_action')], verdict: true },
    {
      rule: 'fails where what is anonymized does not come back',
      replies: [{ required_action: { action_type: 'anonymize_action' } }],
      verdict: false,
    },
    {
      rule: 'sends an answer behind its conversation',
      side: OUTPUT,
      verdict: true,
      bodies: [
        {
          model: 'm1',
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'Who are you?' },
            { role: 'assistant', content: TEXT },
          ],
        },
      ],
    },
  ],
  onError: false,
  empty: 'passes',
  needs: { field: 'apiKey', verdict: false },
};

export const CONVERSATIONS: readonly Row[] = [APORIA, LASSO, PANW, CROWDSTRIKE, CATO];
