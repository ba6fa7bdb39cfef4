/** A messages stream in the frames of an invoke call. */
import { createMessagesRelayDecoder } from '../anthropic/index.ts';
import type { Frame, StreamDecoder, WireContext } from '../contract.ts';
import { toStreamError } from '../openai/index.ts';
import { METRICS_MEMBER } from './complete-stream.ts';
import { exceptionFields } from './errors.ts';

/** Emits the model's events under their names, without the member that Bedrock adds. */
export function createInvokeMessagesDecoder(ctx: WireContext): StreamDecoder {
  const relay = createMessagesRelayDecoder(ctx, { dropMembers: [METRICS_MEMBER] });
  let failed = false;
  return {
    push(frame: Frame) {
      if (failed) return [];
      const failure = exceptionFields(frame);
      if (failure === undefined) return relay.push(frame);
      failed = true;
      return [toStreamError(failure, ctx)];
    },
    end: () => (failed ? [] : relay.end()),
  };
}

type OpenDecoder = (ctx: WireContext) => StreamDecoder;

/** Selects the decoder by the first frame: the id of a model does not always determine the dialect. */
export function createDialectDecoder(
  ctx: WireContext,
  dialects: { invoke: OpenDecoder; converse: OpenDecoder },
): StreamDecoder {
  let decoder: StreamDecoder | undefined;
  return {
    push(frame: Frame) {
      decoder ??= frame.event === 'chunk' ? dialects.invoke(ctx) : dialects.converse(ctx);
      return decoder.push(frame);
    },
    end: () => (decoder ?? dialects.converse(ctx)).end(),
  };
}
