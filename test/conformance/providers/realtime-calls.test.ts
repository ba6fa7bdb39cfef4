/** The realtime API outside of its WebSockets: who has it, and where. */
import { describe, expect, test } from 'vitest';
import { PROVIDERS } from '../../../gateway/src/providers/register.ts';
import type { Exchange } from './fixture.ts';
import { buildOutgoing, openSession } from './session.ts';

const ENDPOINTS = {
  createRealtimeCall: '/calls',
  acceptRealtimeCall: '/calls/rtc_1/accept',
  rejectRealtimeCall: '/calls/rtc_1/reject',
  referRealtimeCall: '/calls/rtc_1/refer',
  hangupRealtimeCall: '/calls/rtc_1/hangup',
  createRealtimeSecret: '/client_secrets',
  createRealtimeSession: '/sessions',
  createTranscriptionSession: '/transcription_sessions',
  createRealtimeTranslationCall: '/translations/calls',
  createRealtimeTranslationSecret: '/translations/client_secrets',
} as const;
type EndpointName = keyof typeof ENDPOINTS;
const NAMES = Object.keys(ENDPOINTS) as EndpointName[]; // keys of the table

const SDP = 'v=0\r\ns=-\r\n';
const BEARER = { authorization: 'Bearer K' };
const azure = { resource_name: 'r1', deployment_id: 'dep1' };
const OF_AZURE = 'https://r1.openai.azure.com/openai/v1/realtime';

interface Native {
  readonly id: string;
  readonly rule?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly base: string;
  readonly credential: Readonly<Record<string, string>>;
  readonly offers: readonly EndpointName[];
  /** Of these endpoints, in place of the usual path below the base. */
  readonly urls?: Partial<Readonly<Record<EndpointName, string>>>;
  /** The model that the provider is asked for, of a call with the model m1. */
  readonly model?: string;
  /** Behind the path. */
  readonly query?: string;
}

const CALLS = NAMES.filter((name) => name.endsWith('RealtimeCall'));

const NATIVES: readonly Native[] = [
  { id: 'openai', base: 'https://api.openai.com/v1/realtime', credential: BEARER, offers: NAMES },
  { id: 'x-ai', base: 'https://api.x.ai/v1/realtime', credential: BEARER, offers: ['createRealtimeSecret'] },
  {
    id: 'azure-openai',
    rule: 'with a dated version, where calls are in the API without versions all the same',
    fields: { ...azure, api_version: '2025-04-01-preview' },
    base: OF_AZURE,
    credential: { 'api-key': 'K' },
    offers: [...CALLS, 'createRealtimeSecret', 'createRealtimeSession'],
    urls: {
      createRealtimeSession: 'https://r1.openai.azure.com/openai/realtimeapi/sessions?api-version=2025-04-01-preview',
    },
    model: 'dep1',
  },
  {
    id: 'azure-openai',
    rule: 'with v1',
    fields: { ...azure, api_version: 'v1' },
    base: OF_AZURE,
    credential: { 'api-key': 'K' },
    offers: [...CALLS, 'createRealtimeSecret'],
    model: 'dep1',
  },
  {
    id: 'azure-ai',
    fields: { azure_foundry_url: 'https://r1.services.ai.azure.com/openai/v1', azure_api_version: 'preview' },
    base: 'https://r1.services.ai.azure.com/openai/v1/realtime',
    credential: BEARER,
    offers: [...CALLS, 'createRealtimeSecret'],
    query: '?api-version=preview',
  },
];

const requestOf = (endpoint: EndpointName, model: string): Readonly<Record<string, unknown>> => {
  if (endpoint === 'createRealtimeTranslationCall') return { model, sdp: SDP, session: { audio: {} } };
  if (endpoint === 'createRealtimeTranslationSecret') return { model, session: { audio: {} } };
  if (endpoint === 'createRealtimeCall') return { model, sdp: SDP, session: { voice: 'marin' } };
  if (endpoint === 'createRealtimeSecret') return { model, session: { voice: 'marin' } };
  return { model, voice: 'marin' };
};

const toExchange = (
  native: Native,
  endpoint: EndpointName,
  more: Partial<Exchange> & { readonly model?: string } = {},
): Exchange => {
  const { model = 'm1', ...rest } = more;
  return {
    provider: native.id,
    endpoint,
    fields: { ...native.fields, api_key: 'K' },
    strict: true,
    stream: false,
    client_request: requestOf(endpoint, model),
    client_headers: {},
    forwarded: {},
    method: 'POST',
    path: `/realtime${ENDPOINTS[endpoint]}`,
    query: 'model=other&call_id=x&deployment=d&api-version=2020-01-01',
    route: { call_id: 'rtc_1' },
    env: {},
    side_calls: [],
    ...rest,
  };
};

const build = (exchange: Exchange) => buildOutgoing(exchange, openSession(exchange));

test('every provider that offers some of it is listed', () => {
  const offering = [...PROVIDERS.values()].filter(({ endpoints }) =>
    NAMES.some((name) => endpoints[name] !== undefined),
  );
  expect(new Set(offering.map(({ id }) => id))).toEqual(new Set(NATIVES.map(({ id }) => id)));
});

describe.for(NATIVES.map((native) => [`${native.id} ${native.rule ?? ''}`.trim(), native] as const))(
  '%s',
  ([, native]) => {
    const { offers, base, urls = {}, query = '', credential, model: asked = 'm1' } = native;

    test.for(offers)('has %s at its path, with the credential and nothing of the query of the client', async (name) => {
      const request = await build(toExchange(native, name));
      expect(request.method).toBe('POST');
      expect(request.origin + request.path).toBe(urls[name] ?? `${base}${ENDPOINTS[name]}${query}`);
      expect(request.headers).toMatchObject(credential);
    });

    test.for(offers.filter((name) => !name.endsWith('Call') || name === 'acceptRealtimeCall'))(
      'gets the model of %s where the API has it',
      async (name) => {
        const body = JSON.parse(String((await build(toExchange(native, name))).body));
        if (name === 'createRealtimeSecret') {
          expect(body).toEqual({ session: { type: 'realtime', voice: 'marin', model: asked } });
        } else if (name === 'createRealtimeTranslationSecret') {
          expect(body).toEqual({ session: { audio: {}, model: asked } });
        } else if (name === 'acceptRealtimeCall' || name === 'createRealtimeSession') {
          expect(body).toEqual({ voice: 'marin', model: asked });
        }
      },
    );

    test.runIf(offers.includes('createRealtimeCall'))(
      'gets an offer as text, or with its session as a form',
      async () => {
        const whole = await build(toExchange(native, 'createRealtimeCall'));
        expect(whole.headers['content-type']).toMatch(/^multipart\/form-data; boundary=\w+$/);
        const text = String(whole.body);
        expect(text).toContain(`name="sdp"\r\n\r\n${SDP}\r\n`);
        expect(text).toContain(`name="session"\r\n\r\n{"type":"realtime","voice":"marin","model":"${asked}"}\r\n`);
        if (asked !== 'm1') return;
        const alone = await build(toExchange(native, 'createRealtimeCall', { client_request: { sdp: SDP } }));
        expect([alone.headers['content-type'], String(alone.body)]).toEqual(['application/sdp', SDP]);
      },
    );

    test.runIf(offers.includes('hangupRealtimeCall'))('refuses an id that leads elsewhere', async () => {
      for (const id of ['', '%2E%2e', '..', 'a%2Faccept', 'a%3Fx', 'a/b', 'a%0D%0A']) {
        const exchange = toExchange(native, 'hangupRealtimeCall', { route: { call_id: id } });
        await expect(build(exchange)).rejects.toMatchObject({ code: 'PARAMETER_INVALID' });
      }
    });

    test.for(NAMES.filter((name) => !offers.includes(name)))('does not have %s', async (name) => {
      await expect(async () => await build(toExchange(native, name))).rejects.toMatchObject({
        code: 'OPERATION_UNSUPPORTED',
      });
    });
  },
);

test("the filter of a call at Azure OpenAI is the client's, and is no way to another parameter", async () => {
  const [, , native] = NATIVES;
  if (native === undefined) throw new Error('the table has changed');
  const request = await build(toExchange(native, 'createRealtimeCall', { query: 'webrtcfilter=on%26x%3D1' }));
  expect(request.path).toBe('/openai/v1/realtime/calls?webrtcfilter=on%26x%3D1');
});
