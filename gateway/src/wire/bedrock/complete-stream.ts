/** Text completion streams of every family, distinguished by their shape. */
import type { Frame, JsonObject, StreamDecoder, StreamItem, Usage, WireContext } from '../contract.ts';
import { numberAt, objectAt, objectsAt, textAt } from '../json/json.ts';
import {
  ChatChunks,
  finishReasonOf,
  INCOMPLETE_STREAM,
  parseJsonObject,
  TextChunks,
  toStreamError,
} from '../openai/index.ts';
import { exceptionFields } from './errors.ts';
import { plainUsage } from './usage.ts';

/** The member of the last frame with token counts. */
export const METRICS_MEMBER = 'amazon-bedrock-invocationMetrics';

interface Piece {
  readonly text: string;
  readonly index: number;
  /** Present on the piece that ends its choice. */
  readonly reason: string | undefined;
}

/** Makes the items of the client's format. */
interface Writer {
  piece(piece: Piece): readonly StreamItem[];
}

/** Text completion chunks, then one usage item. */
export function createCompleteDecoder(ctx: WireContext): StreamDecoder {
  const chunks = new TextChunks(ctx);
  return createPieceDecoder(ctx, {
    piece: ({ text, index, reason }) => {
      const finishReason = reason === undefined ? null : finishReasonOf(reason, ctx.strict);
      return [chunks.item({ text, index, finishReason })];
    },
  });
}

/** Chat chunks from the same frames, for models that have text completion only. */
export function createLegacyChatDecoder(ctx: WireContext): StreamDecoder {
  const chunks = new ChatChunks(ctx);
  let opened = false;
  return createPieceDecoder(ctx, {
    piece: ({ text, reason }) => {
      const opening = opened ? [] : [chunks.delta({ role: 'assistant', content: '' })];
      opened = true;
      const said = text === '' ? [] : [chunks.text(text, 0)];
      const end = reason === undefined ? [] : [chunks.finish(finishReasonOf(reason, ctx.strict))];
      return [...opening, ...said, ...end];
    },
  });
}

function createPieceDecoder(ctx: WireContext, writer: Writer): StreamDecoder {
  let usage: Usage | undefined;
  let finished = false;
  let closed = false;
  const close = (last: readonly StreamItem[]): readonly StreamItem[] => {
    closed = true;
    return last;
  };
  return {
    push(frame: Frame) {
      if (closed) return [];
      const failure = exceptionFields(frame);
      if (failure !== undefined) return close([toStreamError(failure, ctx)]);
      const body = parseJsonObject(frame.data);
      if (body === undefined) return [];
      usage = metricsUsage(objectAt(body, METRICS_MEMBER)) ?? usage;
      const pieces = readPieces(body);
      if (pieces.some(({ reason }) => reason !== undefined)) finished = true;
      return pieces.flatMap((piece) => writer.piece(piece));
    },
    end() {
      if (closed) return [];
      if (!finished) return close([INCOMPLETE_STREAM]);
      return close(usage === undefined ? [] : [{ kind: 'usage', usage }]);
    },
  };
}

const metricsUsage = (metrics: JsonObject | undefined): Usage | undefined =>
  plainUsage(numberAt(metrics, 'inputTokenCount'), numberAt(metrics, 'outputTokenCount'));

/** Reads a frame by the member that only its family has. */
function readPieces(body: JsonObject): readonly Piece[] {
  const index = numberAt(body, 'index') ?? 0;
  // cohere: the last frame repeats the whole text
  if (body['is_finished'] === true) return [{ text: '', index, reason: textAt(body, 'finish_reason') ?? 'COMPLETE' }];
  const outputs = objectsAt(body, 'outputs');
  if (outputs.length > 0) {
    return outputs.map((output, at) => ({
      text: textAt(output, 'text') ?? '',
      index: at,
      reason: textAt(output, 'stop_reason'),
    }));
  }
  const text = ['completion', 'generation', 'outputText', 'text'].map((key) => textAt(body, key)).find(isText);
  const reason = textAt(body, 'stop_reason') ?? textAt(body, 'completionReason');
  return text === undefined && reason === undefined ? [] : [{ text: text ?? '', index, reason }];
}

const isText = (value: string | undefined): value is string => value !== undefined;
