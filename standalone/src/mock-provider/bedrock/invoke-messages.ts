/** Anthropic's models, which are invoked with the bodies of its messages API. */

import { toJsonInside } from '../answer-size.ts';
import { composeMessage, messageEvents } from '../anthropic/index.ts';
import type { Exchange } from '../exchange.ts';
import type { JsonObject } from '../json.ts';
import { json, type Reply } from '../reply.ts';
import { requestId } from './converse.ts';
import { bedrockErrorFrame, refuseInvalid } from './errors.ts';
import { eventFrame } from './event-stream.ts';

const LATENCY_MS = 1; // fixed, so that answers are deterministic
/** Members of the vendor's own API that the path of Bedrock says. */
const EXTRANEOUS = ['model', 'stream'];

export const isMessages = (body: JsonObject): boolean =>
  body['anthropic_version'] !== undefined || body['messages'] !== undefined;

export function invokeMessages(exchange: Exchange, body: JsonObject): Reply {
  const message = read(exchange, body);
  if ('kind' in message) return message;
  const { input_tokens: input, output_tokens: output } = message.usage;
  return json(message, {
    ...requestId(exchange.seed),
    'x-amzn-bedrock-input-token-count': String(input),
    'x-amzn-bedrock-output-token-count': String(output),
  });
}

/** Each event stands in Base64 in a message `chunk`; Bedrock adds what it counted to the last one. */
export function streamMessages(exchange: Exchange, body: JsonObject): Reply {
  const message = read(exchange, body);
  if ('kind' in message) return message;
  const { input_tokens: inputTokenCount, output_tokens: outputTokenCount } = message.usage;
  const counted = { inputTokenCount, outputTokenCount, invocationLatency: LATENCY_MS, firstByteLatency: LATENCY_MS };
  const frames = messageEvents(message).map(({ data, kind }) => {
    const event = data.type === 'message_stop' ? { ...data, 'amazon-bedrock-invocationMetrics': counted } : data;
    return eventFrame('chunk', { bytes: Buffer.from(toJsonInside(event)).toString('base64') }, kind);
  });
  return {
    kind: 'stream',
    headers: {
      'content-type': 'application/vnd.amazon.eventstream',
      'x-amzn-bedrock-content-type': 'application/json',
      ...requestId(exchange.seed),
    },
    frames,
    errorFrame: bedrockErrorFrame,
  };
}

function read(exchange: Exchange, body: JsonObject) {
  if (typeof body['anthropic_version'] !== 'string') return refuseInvalid('anthropic_version: Field required');
  const extraneous = EXTRANEOUS.find((member) => body[member] !== undefined);
  if (extraneous !== undefined) return refuseInvalid(`extraneous key [${extraneous}] is not permitted`);
  const message = composeMessage(exchange, exchange.params[0], body);
  return message.type === 'refused' ? refuseInvalid(message.refusal.message) : message;
}
