/** Checks of clouds, whose credentials are more than a header, and of a service whose key names its address. */
import { expect } from 'vitest';
import { asked, CANARY, INPUT, JSON_TYPE, OUTPUT, PARTS, partsWith, type Row, TEXT } from '../row.ts';

const azure = (service: string) => ({ [`${service}.apiKey`]: CANARY, [`${service}.customHost`]: 'STUB' });
const AZURE_HEADERS = { ...JSON_TYPE, 'ocp-apim-subscription-key': CANARY, 'user-agent': 'gw-ai-plugin/' };

const documents = (...found: readonly (readonly [entities: number, redactedText?: string])[]) => ({
  kind: 'PiiEntityRecognitionResults',
  results: {
    documents: found.map(([entities, redactedText], i) => ({
      id: String(i),
      entities: Array.from({ length: entities }, () => ({ category: 'Person' })),
      redactedText,
    })),
    errors: [],
  },
});

const AZURE_PII: Row = {
  id: 'azure.pii',
  parameters: { piiCategories: ['Person'] },
  credential: azure('pii'),
  side: PARTS,
  sends: [
    {
      path: '/language/:analyze-text?api-version=2024-11-01',
      headers: AZURE_HEADERS,
      body: {
        kind: 'PiiEntityRecognition',
        parameters: { domain: 'none', modelVersion: 'latest', piiCategories: ['Person'] },
        analysisInput: {
          documents: [
            { id: '0', text: TEXT, language: 'en' },
            { id: '1', text: 'in Berlin', language: 'en' },
          ],
        },
      },
    },
  ],
  pass: [documents([0], [0])],
  fail: [documents([0], [1])],
  malformed: [{}, { results: { documents: [], errors: [{ id: '0' }] } }],
  redacts: [
    {
      rule: 'what was found, and fails all the same',
      parameters: { redact: true },
      replies: [documents([1, 'My name is ****'], [0, 'in Berlin'])],
      verdict: false,
      body: partsWith('My name is ****', 'in Berlin'),
    },
  ],
  onError: true,
  empty: true,
  needs: { field: 'pii.apiKey', verdict: true },
};

const analysed = (severity: number, blocklistsMatch: readonly object[] = []) => ({
  categoriesAnalysis: [{ category: 'Hate', severity }],
  blocklistsMatch,
});

const CONTENT_SAFETY: Row = {
  id: 'azure.contentSafety',
  parameters: { blocklistNames: ['words'] },
  credential: azure('contentSafety'),
  side: INPUT,
  sends: [
    {
      path: '/contentsafety/text:analyze?api-version=2024-11-01',
      headers: AZURE_HEADERS,
      body: { text: TEXT, categories: ['Hate', 'SelfHarm', 'Sexual', 'Violence'], blocklistNames: ['words'] },
    },
  ],
  pass: [analysed(1)],
  fail: [analysed(2)],
  malformed: [{}, { categoriesAnalysis: null }],
  also: [
    { rule: 'fails by a term of a blocklist', replies: [analysed(0, [{ blocklistName: 'words' }])], verdict: false },
    { rule: 'has a severity of its own', parameters: { severity: 4 }, replies: [analysed(3)], verdict: true },
  ],
  onError: true,
  empty: true,
  needs: { field: 'contentSafety.apiKey', verdict: true },
};

const shield = (prompt: boolean, ...attacks: readonly boolean[]) => ({
  userPromptAnalysis: { attackDetected: prompt },
  documentsAnalysis: attacks.map((attackDetected) => ({ attackDetected })),
});

const SHIELD_PROMPT: Row = {
  id: 'azure.shieldPrompt',
  credential: azure('contentSafety'),
  side: PARTS,
  sends: [
    {
      path: '/contentsafety/text:shieldPrompt?api-version=2024-09-01',
      headers: AZURE_HEADERS,
      body: { userPrompt: 'Be brief.', documents: [TEXT, 'in Berlin'] },
    },
  ],
  pass: [shield(false, false)],
  fail: [shield(false, false, true)],
  malformed: [{}],
  also: [
    {
      rule: 'sends the text as the prompt where there is no system message',
      side: { phase: 'input', request: { messages: [{ role: 'user', content: TEXT }] } },
      replies: [shield(true)],
      verdict: false,
      bodies: [{ userPrompt: TEXT, documents: [] }],
    },
  ],
  onError: true,
  empty: true,
  needs: { field: 'contentSafety.apiKey', verdict: true },
  otherPhase: true,
};

const PROTECTED_MATERIAL: Row = {
  id: 'azure.protectedMaterial',
  credential: azure('contentSafety'),
  side: OUTPUT,
  sends: [
    {
      path: '/contentsafety/text:detectProtectedMaterial?api-version=2024-09-01',
      headers: AZURE_HEADERS,
      body: { text: TEXT },
    },
  ],
  pass: [{ protectedMaterialAnalysis: { detected: false } }],
  fail: [{ protectedMaterialAnalysis: { detected: true } }],
  malformed: [{}],
  onError: true,
  empty: true,
  needs: { field: 'contentSafety.apiKey', verdict: true },
  otherPhase: true,
};

type Pii = { readonly match: string; readonly action: string } & (
  | { readonly type: string }
  | { readonly name: string }
);

const pii = (action: string, found: readonly Pii[], text = '') => ({
  action,
  outputs: [{ text }],
  assessments: [
    {
      sensitiveInformationPolicy: {
        piiEntities: found.filter((one) => 'type' in one),
        regexes: found.filter((one) => 'name' in one),
      },
    },
  ],
});
const NONE = { action: 'NONE', outputs: [], assessments: [{}] };
const TOPIC = {
  action: 'GUARDRAIL_INTERVENED',
  outputs: [{ text: 'No.' }],
  assessments: [{ topicPolicy: { topics: [{ action: 'BLOCKED' }] } }],
};
const JANE = { type: 'NAME', match: 'Jane' };

const BEDROCK: Row = {
  id: 'bedrock.guard',
  parameters: { guardrailId: 'g1', guardrailVersion: 'DRAFT' },
  credential: {
    awsAccessKeyId: `AK${CANARY}`,
    awsSecretAccessKey: CANARY,
    awsSessionToken: `session-${CANARY}`,
    awsRegion: 'eu-central-1',
    customHost: 'STUB',
  },
  side: PARTS,
  sends: [TEXT, 'in Berlin'].map((text) => ({
    path: '/guardrail/g1/version/DRAFT/apply',
    headers: {
      ...JSON_TYPE,
      authorization: expect.stringMatching(
        new RegExp(
          `^AWS4-HMAC-SHA256 Credential=AK${CANARY}/20251009/eu-central-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$`,
        ),
      ),
      'x-amz-date': '20251009T085320Z',
      'x-amz-security-token': `session-${CANARY}`,
    },
    body: { source: 'INPUT', content: [{ text: { text } }] },
  })),
  pass: [NONE],
  fail: [NONE, TOPIC],
  malformed: [{}, { action: 1 }],
  redacts: [
    {
      rule: 'by the text of the service where it anonymizes',
      parameters: { redact: true },
      replies: [pii('GUARDRAIL_INTERVENED', [{ ...JANE, action: 'ANONYMIZED' }], 'My name is {NAME}'), NONE],
      verdict: true,
      body: partsWith('My name is {NAME}', 'in Berlin'),
    },
    {
      rule: 'by type and name where it blocks personal data alone',
      parameters: { redact: true },
      replies: [
        pii('GUARDRAIL_INTERVENED', [{ ...JANE, action: 'BLOCKED' }], 'Blocked.'),
        pii('GUARDRAIL_INTERVENED', [{ name: 'city', match: 'Berlin', action: 'BLOCKED' }], 'Blocked.'),
      ],
      verdict: true,
      body: partsWith('My name is {NAME}', 'in {city}'),
    },
    {
      rule: 'and fails where more than personal data is blocked',
      parameters: { redact: true },
      replies: [pii('GUARDRAIL_INTERVENED', [{ ...JANE, action: 'BLOCKED' }]), TOPIC],
      verdict: false,
      body: undefined,
    },
  ],
  also: [
    {
      rule: 'passes what is only anonymized',
      replies: [pii('GUARDRAIL_INTERVENED', [{ ...JANE, action: 'ANONYMIZED' }], 'x')],
      verdict: true,
    },
    {
      rule: 'fails by an intervention without details',
      replies: [{ action: 'GUARDRAIL_INTERVENED' }],
      verdict: false,
    },
    {
      rule: 'names the side of an answer',
      side: OUTPUT,
      verdict: true,
      bodies: [{ source: 'OUTPUT', content: [{ text: { text: TEXT } }] }],
    },
  ],
  onError: true,
  empty: true,
  needs: { field: 'awsSecretAccessKey', verdict: true },
};

/** A key as the service issues them, which names its address. */
const token = `header.${Buffer.from(JSON.stringify({ opaque: { 'apex-url': 'https://apex.example' } })).toString('base64url')}.${CANARY}`;

const extraction = (over: object) => ({ extractions: [over] });

const ACUVITY: Row = {
  id: 'acuvity.scan',
  parameters: {
    prompt_injection: true,
    toxic: true,
    language: true,
    language_values: ['german'],
    pii: true,
    pii_categories: ['person'],
    secrets: true,
  },
  credential: { apiKey: token, baseUrl: 'STUB' },
  side: INPUT,
  sends: [
    {
      path: '/_acuvity/scan',
      headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
      body: { anonymization: 'FixedSize', messages: [TEXT], redactions: [], type: 'Input' },
    },
  ],
  pass: [extraction({ exploits: { prompt_injection: 0.49 }, languages: { english: 1 }, piIs: { location: 1 } })],
  fail: [extraction({ exploits: { prompt_injection: 0.5 } })],
  malformed: [{}, { extractions: [] }],
  redacts: [
    {
      rule: 'personal data',
      parameters: { pii_redact: true },
      replies: [extraction({ piIs: { person: 1 }, data: 'My name is XXXX' })],
      verdict: true,
      body: asked('My name is XXXX'),
    },
    {
      rule: 'personal data and secrets together',
      parameters: { pii_redact: true, secrets_redact: true },
      replies: [
        extraction({ piIs: { person: 1 }, detections: [{ type: 'Secret', name: 'token' }], data: 'My name is XXXX' }),
      ],
      verdict: true,
      body: asked('My name is XXXX'),
    },
  ],
  also: [
    { rule: 'fails by toxic language', replies: [extraction({ malcontents: { toxic: 0.9 } })], verdict: false },
    {
      rule: 'fails by a language that it looks for',
      replies: [extraction({ languages: { german: 0.5 } })],
      verdict: false,
    },
    { rule: 'fails by personal data', replies: [extraction({ piIs: { person: 1 } })], verdict: false },
    { rule: 'fails by a secret', replies: [extraction({ secrets: { token: 1 } })], verdict: false },
    {
      rule: 'does not redact where another guard hits',
      parameters: { pii_redact: true },
      replies: [extraction({ piIs: { person: 1 }, malcontents: { toxic: 1 }, data: 'x' })],
      verdict: false,
      data: { guards: '[{"guard":"toxic","matched":true},{"guard":"pii","matched":true}]' },
    },
    {
      rule: 'asks for the categories that it redacts',
      parameters: { pii_redact: true },
      verdict: true,
      bodies: [{ anonymization: 'FixedSize', messages: [TEXT], redactions: ['person'], type: 'Input' }],
    },
  ],
  onError: true,
  empty: true,
  needs: { field: 'apiKey', verdict: true },
};

export const CLOUDS: readonly Row[] = [AZURE_PII, CONTENT_SAFETY, SHIELD_PROMPT, PROTECTED_MATERIAL, BEDROCK, ACUVITY];
