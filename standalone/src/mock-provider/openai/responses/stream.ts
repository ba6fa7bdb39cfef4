import { splitEvenly, splitPieces } from '../../answer/index.ts';
import type { Frame, Refusal } from '../../reply.ts';
import { namedFrame, type TypedData } from '../../sse.ts';
import type { OutputItem, ResponseObject } from './object.ts';

const ARGUMENT_SLICE_CHARACTERS = 12;

/** The event sequence of a streamed response. The last event carries the response as the unary call would answer it. */
export function responseFrames(response: ResponseObject): readonly Frame[] {
  const running = { ...response, status: 'in_progress', completed_at: null, output: [], usage: null };
  const events: readonly TypedData[] = [
    { type: 'response.created', response: running },
    { type: 'response.in_progress', response: running },
    ...response.output.flatMap((item, index) => itemEvents(item, index)),
  ];
  const last = { type: `response.${response.status}`, sequence_number: events.length, response };
  return [
    ...events.map((event, sequence) =>
      namedFrame({ ...event, sequence_number: sequence }, event.type.endsWith('.delta') ? 'token' : 'event'),
    ),
    namedFrame(last, 'end'),
  ];
}

export function responseErrorFrame({ message, code, param }: Refusal, position: number): Frame {
  return namedFrame({
    type: 'error',
    code: code ?? 'server_error',
    message,
    param: param ?? null,
    sequence_number: position,
  });
}

function itemEvents(item: OutputItem, outputIndex: number): readonly TypedData[] {
  const at = { output_index: outputIndex };
  const inside = { ...at, item_id: item.id };
  const done = { type: 'response.output_item.done', ...at, item };
  switch (item.type) {
    case 'message':
      return [added(at, { ...item, status: 'in_progress', content: [] }), ...messageEvents(item, inside), done];
    case 'function_call':
      return [added(at, { ...item, status: 'in_progress', arguments: '' }), ...callEvents(item, inside), done];
    case 'reasoning':
      return [added(at, { ...item, summary: [] }), ...reasoningEvents(item, inside), done];
  }
}

type Inside = Readonly<{ output_index: number; item_id: string }>;
type ItemOf<Type extends OutputItem['type']> = Extract<OutputItem, { type: Type }>;

function added(at: Readonly<{ output_index: number }>, item: object) {
  return { type: 'response.output_item.added', ...at, item };
}

function messageEvents({ content }: ItemOf<'message'>, inside: Inside): readonly TypedData[] {
  return content.flatMap((part, index) => {
    const at = { ...inside, content_index: index };
    return [
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      ...splitPieces(part.text).map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...at, text: part.text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part },
    ];
  });
}

function callEvents({ name, arguments: json }: ItemOf<'function_call'>, inside: Inside): readonly TypedData[] {
  return [
    ...splitEvenly(json, ARGUMENT_SLICE_CHARACTERS).map((delta) => ({
      type: 'response.function_call_arguments.delta',
      ...inside,
      delta,
    })),
    { type: 'response.function_call_arguments.done', ...inside, name, arguments: json },
  ];
}

function reasoningEvents({ summary }: ItemOf<'reasoning'>, inside: Inside): readonly TypedData[] {
  return summary.flatMap((part, index) => {
    const at = { ...inside, summary_index: index };
    return [
      { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
      ...splitPieces(part.text).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
      { type: 'response.reasoning_summary_text.done', ...at, text: part.text },
      { type: 'response.reasoning_summary_part.done', ...at, part },
    ];
  });
}
