/** Endpoints of the OpenAI format beside texts and vectors: one table of who has which, and at which path. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { EndpointId, OutgoingRequest, Upload } from '../../../gateway/src/providers/contract.ts';
import { providerErrorBody, readAnswer, readErrorFields } from '../../../gateway/src/providers/engine/index.ts';
import { PROVIDERS } from '../../../gateway/src/providers/register.ts';
import { type Exchange, readFixtures } from './fixture.ts';
import { buildOutgoing, openSession } from './session.ts';

interface Native {
  readonly id: string;
  readonly endpoint: EndpointId;
  readonly url: string;
  readonly rule?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** The client's parameters by the provider's names. */
  readonly rename?: Readonly<Record<string, string>>;
  readonly drop?: readonly string[];
  readonly needsModel?: true;
}

/** Bodies that no provider has to change, and answers to them. */
const SAMPLES: Partial<Readonly<Record<EndpointId, { readonly body: object; readonly answer?: object }>>> = {
  moderate: {
    body: { model: 'm1', input: ['Hi'], x_unknown: { deep: true } },
    answer: { id: 'modr-1', model: 'm1', results: [{ flagged: true, categories: { hate: true } }] },
  },
  imageGenerate: {
    body: { model: 'm1', prompt: 'a cat', n: 1, user: 'u1', x_unknown: { deep: true } },
    answer: { created: 1, data: [{ b64_json: 'aW1n', revised_prompt: 'cat' }], usage: { total_tokens: 9 } },
  },
  createSpeech: { body: { model: 'm1', input: 'Hello', voice: 'alloy', instructions: 'slowly', stream_format: 'sse' } },
};

const FORM_ENDPOINTS: ReadonlySet<string> = new Set<EndpointId>([
  ...(['imageEdit', 'imageVariation', 'createTranscription', 'createTranslation'] as const),
]);

/** Every provider has a format of its own for these. */
const OWN: ReadonlySet<string> = new Set<EndpointId>(['rerank']);

const NATIVES: readonly Native[] = [
  { id: 'openai', endpoint: 'moderate', url: 'https://api.openai.com/v1/moderations' },
  { id: 'mistral-ai', endpoint: 'moderate', url: 'https://api.mistral.ai/v1/moderations' },
  ...(
    [
      ['openai', 'https://api.openai.com/v1'],
      ['302ai', 'https://api.302.ai/v1'],
      ['cometapi', 'https://api.cometapi.com/v1'],
      ['deepbricks', 'https://api.deepbricks.ai/v1'],
      ['deepinfra', 'https://api.deepinfra.com/v1/openai'],
      ['lemonfox-ai', 'https://api.lemonfox.ai/v1'],
      ['nebius', 'https://api.studio.nebius.ai/v1'],
      ['nscale', 'https://inference.api.nscale.com/v1'],
      ['recraft-ai', 'https://external.api.recraft.ai/v1'],
      ['together-ai', 'https://api.together.xyz/v1'],
      ['x-ai', 'https://api.x.ai/v1'],
    ] as const
  ).map(([id, base]): Native => ({ id, endpoint: 'imageGenerate', url: `${base}/images/generations` })),
  ...(
    [
      ['z-ai', 'https://api.z.ai/api/paas/v4'],
      ['zhipu', 'https://open.bigmodel.cn/api/paas/v4'],
    ] as const
  ).map(
    ([id, base]): Native => ({
      id,
      endpoint: 'imageGenerate',
      url: `${base}/images/generations`,
      rename: { user: 'user_id' },
    }),
  ),
  ...azureNatives('imageGenerate', '/images/generations'),
  ...(
    [
      ['openai', 'https://api.openai.com/v1'],
      ['302ai', 'https://api.302.ai/v1'],
      ['cometapi', 'https://api.cometapi.com/v1'],
      ['deepinfra', 'https://api.deepinfra.com/v1/openai'],
      ['groq', 'https://api.groq.com/openai/v1'],
      ['siliconflow', 'https://api.siliconflow.cn/v1'],
      ['together-ai', 'https://api.together.xyz/v1'],
    ] as const
  ).map(([id, base]): Native => ({ id, endpoint: 'createSpeech', url: `${base}/audio/speech`, needsModel: true })),
  ...azureNatives('createSpeech', '/audio/speech'),
];

/** Azure serves them by a deployment, in the path or as the model, and in Foundry by model. */
function azureNatives(endpoint: EndpointId, path: string): readonly Native[] {
  const resource = { resource_name: 'r1', deployment_id: 'm1' };
  return [
    {
      id: 'azure-openai',
      rule: 'with a dated version',
      endpoint,
      fields: { ...resource, api_version: '2025-03-01' },
      url: `https://r1.openai.azure.com/openai/deployments/m1${path}?api-version=2025-03-01`,
    },
    {
      id: 'azure-openai',
      rule: 'with v1',
      endpoint,
      fields: { ...resource, api_version: 'v1' },
      url: `https://r1.openai.azure.com/openai/v1${path}`,
    },
    {
      id: 'azure-ai',
      endpoint,
      fields: { azure_foundry_url: 'https://r1.services.ai.azure.com/openai/v1' },
      url: `https://r1.services.ai.azure.com/openai/v1${path}`,
    },
  ];
}

const FORM_NATIVES: readonly Native[] = [
  { id: 'openai', endpoint: 'imageEdit', url: 'https://api.openai.com/v1/images/edits' },
  { id: 'openai', endpoint: 'imageVariation', url: 'https://api.openai.com/v1/images/variations' },
  ...(
    [
      ['openai', 'https://api.openai.com/v1'],
      ['302ai', 'https://api.302.ai/v1'],
      ['cometapi', 'https://api.cometapi.com/v1'],
      ['deepinfra', 'https://api.deepinfra.com/v1/openai'],
      ['groq', 'https://api.groq.com/openai/v1'],
      ['sambanova', 'https://api.sambanova.ai/v1'],
      ['together-ai', 'https://api.together.xyz/v1'],
    ] as const
  ).flatMap(([id, base]): readonly Native[] => [
    { id, endpoint: 'createTranscription', url: `${base}/audio/transcriptions` },
    { id, endpoint: 'createTranslation', url: `${base}/audio/translations` },
  ]),
  ...(
    [
      ['lemonfox-ai', 'https://api.lemonfox.ai/v1'],
      ['lepton', 'https://api.lepton.ai/api/v1'],
      ['mistral-ai', 'https://api.mistral.ai/v1'],
      ['siliconflow', 'https://api.siliconflow.cn/v1'],
    ] as const
  ).map(([id, base]): Native => ({ id, endpoint: 'createTranscription', url: `${base}/audio/transcriptions` })),
  ...azureNatives('imageEdit', '/images/edits'),
  ...azureNatives('createTranscription', '/audio/transcriptions'),
  ...azureNatives('createTranslation', '/audio/translations'),
];

const sampleOf = ({ endpoint }: Native) => SAMPLES[endpoint] ?? { body: {} };

const toExchange = (native: Native, body: object = sampleOf(native).body): Exchange => ({
  provider: native.id,
  endpoint: native.endpoint,
  fields: { ...native.fields, api_key: 'K' },
  strict: true,
  stream: false,
  client_request: { ...body },
  client_headers: {},
  forwarded: {},
  method: 'POST',
  path: '/',
  query: '',
  route: {},
  env: {},
  side_calls: [],
});

const renamed = ({ rename = {}, drop = [] }: Native, body: object): object =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => (drop.includes(name) ? [] : [[rename[name] ?? name, value]])),
  );

const named = (native: Native) => [`${native.endpoint} of ${native.id} ${native.rule ?? ''}`.trim(), native] as const;

test('every endpoint beside texts and vectors is in the table, or has exchanges of its own', () => {
  const offered = [...PROVIDERS.values()].flatMap(({ id, endpoints }) =>
    Object.keys(endpoints).flatMap((endpoint) =>
      endpoint in SAMPLES || OWN.has(endpoint) || FORM_ENDPOINTS.has(endpoint) ? [`${id} ${endpoint}`] : [],
    ),
  );
  const shown = new Map<string, Set<string>>();
  for (const { exchange } of readFixtures()) {
    const { provider, endpoint, upstream_request, client_response, client_error } = exchange;
    const own = shown.get(`${provider} ${endpoint}`) ?? new Set();
    shown.set(`${provider} ${endpoint}`, own);
    if (upstream_request !== undefined) own.add('a request');
    if (client_response?.status === 200) own.add('an answer');
    if (client_error !== undefined || (client_response?.status ?? 0) >= 400) own.add('an error');
  }
  const listed = new Set([...NATIVES, ...FORM_NATIVES].map(({ id, endpoint }) => `${id} ${endpoint}`));
  expect(offered.filter((name) => !listed.has(name) && shown.get(name)?.size !== 3)).toEqual([]);
  expect([...listed].filter((name) => !offered.includes(name))).toEqual([]);
});

describe.for(NATIVES.map(named))('%s', ([, native]) => {
  const { body, answer } = sampleOf(native);

  test('goes to its URL with its credential, as it came where nothing changes', async () => {
    const exchange = toExchange(native);
    const session = openSession(exchange);
    const request = await buildOutgoing(exchange, session);
    expect([request.method, request.origin + request.path]).toEqual(['POST', native.url]);
    expect(request.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(JSON.stringify(request.headers)).toContain('K');
    const want = renamed(native, body);
    expect(JSON.parse(String(request.body))).toEqual(want);
    expect(request.body === session.rawBody).toBe(JSON.stringify(want) === JSON.stringify(body));
  });

  test('needs a model only where the provider has none of its own', async () => {
    const built = (async () => {
      const exchange = toExchange(native, { ...body, model: '' });
      return buildOutgoing(exchange, openSession(exchange));
    })();
    if (native.needsModel) await expect(built).rejects.toMatchObject({ code: 'MODEL_REQUIRED', param: 'model' });
    else await expect(built).resolves.toMatchObject({ method: 'POST' });
  });

  test.runIf(answer === undefined)('passes the answer on while it arrives', () => {
    expect(openSession(toExchange(native)).endpoint?.answer).toEqual({ kind: 'binary' });
  });

  test.runIf(answer !== undefined)('keeps every member of the answer, and says who gave it', () => {
    const { provider, endpoint, call } = openSession(toExchange(native));
    if (endpoint === undefined) throw new Error('no endpoint');
    const bytes = Buffer.from(JSON.stringify(answer, null, 1));
    const read = JSON.parse(
      readAnswer(provider, endpoint, call, { head: { status: 200, headers: {} }, bytes }).toString(),
    );
    expect(read).toEqual(endpoint.answer.kind === 'relay' ? answer : { ...answer, provider: native.id });
  });

  test('reports errors in the normal form', () => {
    const { provider } = openSession(toExchange(native));
    const bytes = Buffer.from('{"error":{"message":"boom","type":"t","param":"p","code":"c"}}');
    expect(providerErrorBody(native.id, readErrorFields(provider, { status: 400, headers: {} }, bytes))).toEqual({
      error: { message: `${native.id} error: boom`, type: 't', param: 'p', code: 'c' },
      provider: native.id,
    });
  });
});

const PART = (name: string, value: string): string =>
  `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const FILE = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.mp3"\r\n\r\nsound\r\n';
const FORM = `${PART('model', 'm1')}${FILE}${PART('language', 'en')}--x--\r\n`;

const formOf = (text: string): Upload => ({
  kind: 'form',
  contentType: 'multipart/form-data; boundary=x',
  boundary: 'x',
  source: { bytes: text.length, replayable: true, open: () => Readable.from([Buffer.from(text)]) },
});

async function sent(
  native: Native,
  form: string,
): Promise<{ readonly request: OutgoingRequest; readonly text: string }> {
  const exchange = toExchange(native, {});
  const request = await buildOutgoing(exchange, openSession(exchange), formOf(form));
  const text = request.streamed === undefined ? '' : (await buffer(request.streamed.open())).toString();
  return { request, text };
}

describe.for(FORM_NATIVES.map(named))('%s', ([, native]) => {
  test('goes to its URL with its credential, and answers pass while they arrive', async () => {
    const { request } = await sent(native, FORM);
    expect([request.method, request.origin + request.path, request.body]).toEqual(['POST', native.url, undefined]);
    expect(JSON.stringify(request.headers)).toContain('K');
    expect(openSession(toExchange(native)).endpoint?.answer).toEqual({ kind: 'binary' });
  });

  test('has the form of the client, in its bytes where nothing has to be said in it', async () => {
    const { request, text } = await sent(native, FORM);
    const [, boundary = ''] = /boundary=(\w+)$/.exec(request.headers['content-type'] ?? '') ?? [];
    if (native.rule === 'with v1') expect(text).toContain(FILE.slice('--x'.length));
    else expect([boundary, text]).toEqual(['x', FORM]);
  });

  test.runIf(native.rule === 'with v1')('names the deployment in place of the model', async () => {
    const { text } = await sent(native, FORM.replace('m1', 'alias'));
    expect(text).toContain('name="model"\r\n\r\nm1\r\n');
    expect(text).not.toContain('alias');
  });
});
