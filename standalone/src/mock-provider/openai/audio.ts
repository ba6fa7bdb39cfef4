import { createHash } from 'node:crypto';
import { countTokens, splitPieces } from '../answer/index.ts';
import type { Exchange } from '../exchange.ts';
import { type JsonObject, readString } from '../json.ts';
import type { Form } from '../multipart.ts';
import { bytes, json, type Reply } from '../reply.ts';
import { dataFrame, SSE_HEADERS } from '../sse.ts';
import { openaiErrorFrame, refuseField } from './errors.ts';

const SPEECH_BYTES = 4_096;
const SPEECH_FRAMES = 4;
const MOCK_DURATION_SECONDS = 1;

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['mp3', 'audio/mpeg'],
  ['opus', 'audio/opus'],
  ['aac', 'audio/aac'],
  ['flac', 'audio/flac'],
  ['wav', 'audio/wav'],
  ['pcm', 'audio/pcm'],
]);

/** Bytes of every value, so that a lossy path is detected. */
export function answerSpeech({ seed, controls }: Exchange, body: JsonObject): Reply {
  const input = readString(body, 'input');
  if (input === undefined) return refuseField('input', 'input is required');
  const contentType = CONTENT_TYPES.get(readString(body, 'response_format') ?? 'mp3');
  if (contentType === undefined) {
    return refuseField('response_format', `response_format must be one of ${[...CONTENT_TYPES.keys()].join(', ')}`);
  }
  const audio = Buffer.alloc(controls.responseBytes ?? SPEECH_BYTES, 0).map((_, index) => index & 0xff);
  if (body['stream_format'] !== 'sse') {
    return bytes(Buffer.from(audio), contentType, { 'x-request-id': seed.id('req_') });
  }
  return speechStream(Buffer.from(audio), countTokens(input.length));
}

function speechStream(audio: Buffer, inputTokens: number): Reply {
  const size = Math.ceil(audio.length / SPEECH_FRAMES);
  const deltas = Array.from({ length: SPEECH_FRAMES }, (_, index) => {
    const slice = audio.subarray(index * size, (index + 1) * size);
    return dataFrame({ type: 'speech.audio.delta', audio: slice.toString('base64') }, 'token');
  });
  const usage = { input_tokens: inputTokens, output_tokens: SPEECH_FRAMES, total_tokens: inputTokens + SPEECH_FRAMES };
  return {
    kind: 'stream',
    headers: SSE_HEADERS,
    frames: [...deltas, dataFrame({ type: 'speech.audio.done', usage }, 'end')],
    errorFrame: openaiErrorFrame,
  };
}

/** Describes the received file, so that a test can check that it arrived unchanged. */
export function answerTranscription(exchange: Exchange, form: Form): Reply {
  const file = form.files.find((part) => part.name === 'file');
  if (file === undefined) return refuseField('file', 'file is required');
  if (!form.fields.has('model')) return refuseField('model', 'model is required');
  const sha256 = createHash('sha256').update(file.bytes).digest('hex');
  const text = exchange.controls.text ?? `Mock transcription of ${file.filename}, ${file.bytes.length} bytes`;
  if (form.fields.get('stream') === 'true') return transcriptionStream(text);
  const received = { bytes: file.bytes.length, sha256, filename: file.filename };
  const segment = { start: 0, end: MOCK_DURATION_SECONDS, text };
  switch (form.fields.get('response_format') ?? 'json') {
    case 'text':
      return bytes(`${text}\n`, 'text/plain; charset=utf-8');
    case 'srt':
      return bytes(`1\n00:00:00,000 --> 00:00:01,000\n${text}\n\n`, 'text/plain; charset=utf-8');
    case 'vtt':
      return bytes(`WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n${text}\n\n`, 'text/plain; charset=utf-8');
    case 'verbose_json':
      return json({ ...verbose(text), segments: [{ ...SEGMENT_NUMBERS, ...segment }], ...received });
    default:
      return json({ text, usage: { type: 'duration', seconds: MOCK_DURATION_SECONDS }, ...received });
  }
}

const SEGMENT_NUMBERS = {
  id: 0,
  seek: 0,
  tokens: [],
  temperature: 0,
  avg_logprob: -0.1,
  compression_ratio: 1,
  no_speech_prob: 0,
};

function verbose(text: string) {
  return { task: 'transcribe', language: 'english', duration: MOCK_DURATION_SECONDS, text };
}

function transcriptionStream(text: string): Reply {
  const deltas = splitPieces(text).map((delta) => dataFrame({ type: 'transcript.text.delta', delta }, 'token'));
  return {
    kind: 'stream',
    headers: SSE_HEADERS,
    frames: [...deltas, dataFrame({ type: 'transcript.text.done', text }, 'end')],
    errorFrame: openaiErrorFrame,
  };
}
