/** A Responses object as its event sequence. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../wire/contract.ts';
import { slicesOf, toEvent } from './events.ts';

interface ResponseEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

export function replayResponses(answer: JsonObject): string[] {
  const { hook_results: _hooks, ...response } = answer;
  const begun = { ...response, status: 'in_progress', output: [], usage: null, incomplete_details: null };
  const output = Array.isArray(response['output']) ? response['output'].filter(isObject) : [];
  const events: ResponseEvent[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...output.flatMap(itemEvents),
    { type: response['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed', response },
  ];
  return events.map((event, sequence_number) => toEvent({ ...event, sequence_number }, event.type));
}

/** Item type to the member that arrives as deltas and the name of these events. */
const GROWING_ITEMS: ReadonlyMap<unknown, readonly [member: string, event: string]> = new Map([
  ['function_call', ['arguments', 'response.function_call_arguments']],
  ['mcp_call', ['arguments', 'response.mcp_call_arguments']],
  ['custom_tool_call', ['input', 'response.custom_tool_call_input']],
  ['code_interpreter_call', ['code', 'response.code_interpreter_call_code']],
]);

function itemEvents(item: JsonObject, output_index: number): readonly ResponseEvent[] {
  const place = { item_id: item['id'], output_index };
  const growing = GROWING_ITEMS.get(item['type']);
  const empty = {
    ...('content' in item ? { content: [] } : {}),
    ...('summary' in item ? { summary: [] } : {}),
    ...('status' in item ? { status: 'in_progress' } : {}),
    ...(growing === undefined ? {} : { [growing[0]]: '' }),
  };
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, ...empty } },
    ...partsOf(item['summary']).flatMap((part, at) => partEvents(part, { ...place, summary_index: at })),
    ...partsOf(item['content']).flatMap((part, at) => partEvents(part, { ...place, content_index: at })),
    ...(growing === undefined ? [] : textEvents(growing[1], growing[0], item[growing[0]], place)),
    { type: 'response.output_item.done', output_index, item },
  ];
}

const partsOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

interface PartStream {
  /** The member that arrives as deltas. */
  readonly member: string;
  /** The name of these events. */
  readonly text: string;
  /** The name of the events around them. */
  readonly part: string;
}

const PARTS: ReadonlyMap<unknown, PartStream> = new Map<unknown, PartStream>([
  ['output_text', { member: 'text', text: 'response.output_text', part: 'response.content_part' }],
  ['refusal', { member: 'refusal', text: 'response.refusal', part: 'response.content_part' }],
  ['reasoning_text', { member: 'text', text: 'response.reasoning_text', part: 'response.content_part' }],
  [
    'summary_text',
    { member: 'text', text: 'response.reasoning_summary_text', part: 'response.reasoning_summary_part' },
  ],
]);

function partEvents(part: JsonObject, place: JsonObject): readonly ResponseEvent[] {
  const stream = PARTS.get(part['type']);
  if (stream === undefined) return []; // it is part of the item's own event
  const { member, text } = stream;
  const annotations = partsOf(part['annotations']);
  const empty = {
    [member]: '',
    ...('annotations' in part ? { annotations: [] } : {}),
    ...('logprobs' in part ? { logprobs: [] } : {}),
  };
  return [
    { type: `${stream.part}.added`, ...place, part: { ...part, ...empty } },
    ...textEvents(text, member, part[member], {
      ...place,
      ...(text === 'response.output_text' ? { logprobs: part['logprobs'] ?? [] } : {}),
    }),
    ...annotations.map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added',
      ...place,
      annotation_index,
      annotation,
    })),
    { type: `${stream.part}.done`, ...place, part },
  ];
}

/** The deltas of a text and the event that repeats it; log probabilities are in the latter. */
function textEvents(name: string, member: string, value: unknown, place: JsonObject): readonly ResponseEvent[] {
  const text = typeof value === 'string' ? value : '';
  const quiet = 'logprobs' in place ? { logprobs: [] } : {};
  return [
    ...slicesOf(text).map((delta) => ({ type: `${name}.delta`, ...place, ...quiet, delta })),
    { type: `${name}.done`, ...place, [member]: text },
  ];
}
