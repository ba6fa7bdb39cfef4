/** The native messages API of Claude models; other models do not have it. */
import { ok } from '@gatehouse/crds';
import { createMessagesRelayDecoder } from '../../wire/anthropic/index.ts';
import { takesAll } from '../../wire/params/params.ts';
import type { Endpoint, StreamDecoder } from '../contract.ts';
import { isClaude, toCountTokens, toRawPredict } from './claude-body.ts';
import { modelOf } from './model.ts';
import { countPath, publisherPath } from './paths.ts';

const PUBLISHER = 'anthropic';

export const messages: Endpoint = {
  method: 'POST',
  path: (call) => publisherPath(call, { publisher: PUBLISHER, name: modelOf(call).name }, 'rawPredict'),
  streamPath: (call) => publisherPath(call, { publisher: PUBLISHER, name: modelOf(call).name }, 'streamRawPredict'),
  supports: isClaude,
  request: { kind: 'write', takes: () => takesAll, write: (params, call) => ok(toRawPredict(params, call)) },
  answer: { kind: 'relay' },
  stream: { kind: 'decode', framing: 'sse', open: (call) => withoutVertexEvents(createMessagesRelayDecoder(call)) },
};

export const messagesCountTokens: Endpoint = {
  method: 'POST',
  path: countPath,
  supports: isClaude,
  request: { kind: 'write', takes: () => takesAll, write: (params, call) => ok(toCountTokens(params, call)) },
  answer: { kind: 'relay' },
};

/** Removes events of the platform, which are not part of the messages format. */
const withoutVertexEvents = (decoder: StreamDecoder): StreamDecoder => ({
  push: (frame) => (frame.event === 'vertex_event' ? [] : decoder.push(frame)),
  end: () => decoder.end(),
});
