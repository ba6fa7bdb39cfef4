/** The realtime API outside of its WebSockets: their handshake, calls over WebRTC, and secrets. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import { bodilessRoutes, type Exchange, type Route } from '../exchange.ts';
import { type JsonObject, readNumber, readObject, readString } from '../json.ts';
import { parseMultipart } from '../multipart.ts';
import { bytes, json, type Reply, refuse } from '../reply.ts';
import type { Seed } from '../seed.ts';
import { createStore, type Store } from '../store.ts';
import { openai, refuseField } from './errors.ts';

/** Where OpenAI has the API, and where Azure OpenAI has it. */
const PLACES = ['/v1/realtime', '/openai/v1/realtime'] as const;
const TRANSLATIONS = '/v1/realtime/translations';
/** What calls may be remembered. */
const CALLS = { maxEntries: 1_000, maxBytes: 1024 * 1024 };
/** Lifetime of a secret. Source: OpenAI API reference, client secrets. */
const SECRET_SECONDS = 600;
const SDP = 'application/sdp';

type Calls = Store<{ readonly model: string }>;

/** The handshake of a session, what follows is in `realtime/`; and what does not pass a WebSocket. Calls have no media. */
export function createRealtimeRoutes(): readonly Route[] {
  const calls: Calls = createStore(CALLS);
  const bodiless = bodilessRoutes(openai);
  const older = ['/v1/realtime/sessions', '/v1/realtime/transcription_sessions', '/openai/realtimeapi/sessions'];
  return [
    ...['/v1/realtime', '/openai/realtime', '/openai/v1/realtime'].map((path) =>
      bodiless('GET', path, ({ request }) =>
        request.headers.upgrade?.toLowerCase() === 'websocket'
          ? json({})
          : refuse(426, 'The realtime API is a WebSocket', { code: 'upgrade_required' }),
      ),
    ),
    ...PLACES.flatMap((place) => callRoutes(place, calls)),
    ...PLACES.map((place) => jsonRoute(`${place}/client_secrets`, answerSecret)),
    bodiless('POST', `${TRANSLATIONS}/calls`, (exchange) => answerOffer(exchange, { place: TRANSLATIONS, calls })),
    jsonRoute(`${TRANSLATIONS}/client_secrets`, answerSecret),
    ...older.map((path) => jsonRoute(path, answerSession)),
  ];
}

const jsonRoute = (path: string | RegExp, handle: (exchange: Exchange, body: JsonObject) => Reply): Route => ({
  method: 'POST',
  path,
  dialect: openai,
  input: 'json',
  handle,
});

function callRoutes(place: string, calls: Calls): readonly Route[] {
  const step = (name: string): RegExp => new RegExp(`^${place}/calls/([^/]+)/${name}$`);
  return [
    bodilessRoutes(openai)('POST', `${place}/calls`, (exchange) => answerOffer(exchange, { place, calls })),
    jsonRoute(step('accept'), ({ params: [id = ''] }, body) => {
      calls.set(id, { model: readString(body, 'model') ?? '' });
      return DONE;
    }),
    jsonRoute(step('reject'), ({ params: [id = ''] }) => {
      calls.delete(id);
      return DONE;
    }),
    jsonRoute(step('refer'), ({ params: [id = ''] }, body) =>
      readString(body, 'target_uri') === undefined
        ? refuseField('target_uri', 'target_uri is required')
        : ofCall(calls, id, () => DONE),
    ),
    bodilessRoutes(openai)('POST', step('hangup'), ({ params: [id = ''] }) =>
      ofCall(calls, id, () => {
        calls.delete(id);
        return DONE;
      }),
    ),
  ];
}

const DONE: Reply = { kind: 'whole', status: 200, headers: {}, body: '' };

const ofCall = (calls: Calls, id: string, answer: () => Reply): Reply =>
  calls.get(id) === undefined
    ? refuse(404, `No such call: ${id.slice(0, 64)}`, { code: 'call_id_not_found' })
    : answer();

function answerOffer({ request, seed }: Exchange, { place, calls }: { readonly place: string; readonly calls: Calls }) {
  const offer = readOffer(request);
  if (!offer.ok) return refuseField('sdp', offer.error);
  const { sdp, session } = offer.value;
  const id = seed.id('rtc_');
  calls.set(id, { model: readString(session, 'model') ?? '' });
  const headers = { location: `${place}/calls/${id}`, 'x-request-id': seed.id('req_') };
  return { ...bytes(answerTo(sdp, seed), SDP, headers), status: 201 };
}

interface Offer {
  readonly sdp: string;
  readonly session: JsonObject;
}

/** The offer as text, or in a form with its session. */
function readOffer({ headers, body }: Exchange['request']): Result<Offer, string> {
  const type = headers['content-type'] ?? '';
  if (type.toLowerCase().startsWith(SDP)) return offerOf(body.toString(), '{}');
  const form = parseMultipart(type, body);
  if (!form.ok) return err(`expected Content-Type ${SDP} or multipart/form-data`);
  const text = (name: string): string | undefined =>
    form.value.fields.get(name) ?? form.value.files.find((file) => file.name === name)?.bytes.toString();
  return offerOf(text('sdp') ?? '', text('session') ?? '{}');
}

function offerOf(sdp: string, session: string): Result<Offer, string> {
  if (!sdp.startsWith('v=0')) return err('sdp must be an SDP offer');
  try {
    const value: unknown = JSON.parse(session);
    return isObject(value) ? ok({ sdp, session: value }) : err('session must be a JSON object');
  } catch {
    return err('session is not JSON');
  }
}

/** One description for each of the offer, which names no address: nothing can be sent there. Source: RFC 8829, section 5.3. */
function answerTo(offer: string, seed: Seed): string {
  const media = offer.split(/\r?\n(?=m=)/).slice(1, 1 + MAX_MEDIA);
  const mids = media.map((part, at) => /^a=mid:([\w-]{1,16})/m.exec(part)?.[1] ?? String(at));
  const secret = seed.id('');
  const common = [
    ...['c=IN IP4 0.0.0.0', `a=ice-ufrag:${secret.slice(0, 8)}`, `a=ice-pwd:${secret}`, 'a=setup:active'],
    `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => '00').join(':')}`,
  ];
  const lines = [
    ...['v=0', `o=- ${seed.createdSeconds} 2 IN IP4 127.0.0.1`, 's=-', 't=0 0', `a=group:BUNDLE ${mids.join(' ')}`],
    ...media.flatMap((part, at) => [
      (part.split(/\r?\n/, 1)[0] ?? '').slice(0, MAX_LINE),
      `a=mid:${mids[at]}`,
      ...common,
    ]),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

const MAX_MEDIA = 8;
const MAX_LINE = 256;

function answerSecret({ seed }: Exchange, body: JsonObject): Reply {
  const seconds = readNumber(readObject(body, 'expires_after') ?? {}, 'seconds') ?? SECRET_SECONDS;
  const session = {
    ...{ id: seed.id('sess_'), object: 'realtime.session', type: 'realtime', model: 'gpt-realtime' },
    ...readObject(body, 'session'),
  };
  return json({ ...secretOf(seed, seconds), session }, { 'x-request-id': seed.id('req_') });
}

/** The older way: the session, with a secret in it. */
const answerSession = ({ seed }: Exchange, body: JsonObject): Reply =>
  json({
    ...{ id: seed.id('sess_'), object: 'realtime.session', ...body },
    client_secret: secretOf(seed, SECRET_SECONDS),
  });

const secretOf = (seed: Seed, seconds: number) => ({
  value: seed.id('ek_mock_'),
  expires_at: Math.floor(seed.createdSeconds + seconds),
});
