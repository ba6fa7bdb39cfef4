/** A small session of the realtime API: text in, text out, in the events that OpenAI sends. */
import { isObject } from '@gatehouse/crds';
import type { WebSocket } from 'ws';
import { composeAnswer, splitPieces, type Turn, toPrompt } from '../answer/index.ts';
import type { Controls } from '../controls/index.ts';
import { type JsonObject, readList, readObject, readString } from '../json.ts';
import type { Seed } from '../seed.ts';

/** Turns of a conversation that are remembered. */
const MAX_TURNS = 64;
/** Of one turn, in characters. */
const MAX_TEXT = 16_384;
/** Bytes that wait for a client that does not read; then the mock reads no further event. */
const MAX_WAITING_BYTES = 1024 * 1024;
const RESUME_MS = 10;

export interface SessionOptions {
  readonly model: string;
  readonly seed: Seed;
  readonly controls: Controls;
}

export function serveSession(socket: WebSocket, { model, seed, controls }: SessionOptions): void {
  let session: JsonObject = { id: seed.id('sess_'), object: 'realtime.session', type: 'realtime', model };
  let events = 0;
  let responses = 0;
  const turns: Turn[] = [];
  const emit = (type: string, members: object = {}): void => {
    events += 1;
    socket.send(JSON.stringify({ type, event_id: seed.id('event_', events), ...members }));
  };
  const fail = (message: string): void =>
    emit('error', { error: { type: 'invalid_request_error', code: null, message, param: null, event_id: null } });
  const respond = (): void => {
    responses += 1;
    const id = seed.id('resp_', responses);
    const itemId = seed.id('item_', responses);
    const answer = composeAnswer(toPrompt(turns, {}), controls);
    const { prompt: input, completion: output } = answer.tokens;
    const place = { response_id: id, item_id: itemId, output_index: 0, content_index: 0 };
    const content = [{ type: 'output_text', text: answer.text }];
    const item = {
      id: itemId,
      object: 'realtime.item',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content,
    };
    const usage = {
      ...{ total_tokens: input + output, input_tokens: input, output_tokens: output },
      input_token_details: { text_tokens: input, audio_tokens: 0, image_tokens: 0, cached_tokens: 0 },
      output_token_details: { text_tokens: output, audio_tokens: 0 },
    };
    emit('response.created', { response: { id, object: 'realtime.response', status: 'in_progress', output: [] } });
    for (const delta of splitPieces(answer.text)) emit('response.output_text.delta', { ...place, delta });
    emit('response.output_text.done', { ...place, text: answer.text });
    emit('response.done', {
      response: { id, object: 'realtime.response', status: 'completed', output: [item], usage },
    });
    remember(turns, { role: 'assistant', text: answer.text });
  };
  const handlers: Readonly<Record<string, (event: JsonObject) => void>> = {
    'session.update': (event) => {
      // The model of a session stays.
      session = { ...session, ...readObject(event, 'session'), id: session['id'], model };
      emit('session.updated', { session });
    },
    'conversation.item.create': (event) => {
      const item = readObject(event, 'item') ?? {};
      remember(turns, { role: 'user', text: textOf(item) });
      emit('conversation.item.added', { previous_item_id: null, item });
      emit('conversation.item.done', { previous_item_id: null, item });
    },
    'input_audio_buffer.append': () => {},
    'input_audio_buffer.clear': () => emit('input_audio_buffer.cleared'),
    'input_audio_buffer.commit': () => {
      remember(turns, { role: 'user', text: '(audio)' });
      emit('input_audio_buffer.committed', { previous_item_id: null, item_id: seed.id('item_', events) });
    },
    'response.create': respond,
    'response.cancel': () => fail('no response is active'),
  };
  socket.on('message', (data, isBinary) => {
    const event = isBinary ? undefined : parse(data);
    const type = event && readString(event, 'type');
    const handle = type !== undefined && Object.hasOwn(handlers, type) ? handlers[type] : undefined;
    if (event === undefined || handle === undefined)
      fail(`the mock does not know the event ${type?.slice(0, 64) ?? ''}`);
    else handle(event);
    if (socket.bufferedAmount > MAX_WAITING_BYTES) pauseUntilRead(socket);
  });
  emit('session.created', { session });
}

function pauseUntilRead(socket: WebSocket): void {
  socket.pause();
  const timer = setInterval(() => {
    if (socket.bufferedAmount > MAX_WAITING_BYTES) return;
    clearInterval(timer);
    socket.resume();
  }, RESUME_MS);
  socket.on('close', () => clearInterval(timer));
}

function remember(turns: Turn[], { role, text }: Turn): void {
  turns.push({ role, text: text.slice(0, MAX_TEXT) });
  if (turns.length > MAX_TURNS) turns.shift();
}

const textOf = (item: JsonObject): string =>
  (readList(item, 'content') ?? [])
    .filter(isObject)
    .map((part) => readString(part, 'text') ?? '')
    .join('');

function parse(data: Buffer): JsonObject | undefined {
  try {
    const event: unknown = JSON.parse(data.toString());
    return isObject(event) ? event : undefined;
  } catch {
    return undefined;
  }
}
