/** Messages and parameters of a span, from attributes and events. Source: OpenTelemetry's semantic conventions for generative AI. */
import { HEADER_JSON_LIMITS, readJson } from '../../lib/json/index.ts';
import type { Attributes, AttributeValue, OtlpSpan } from './span.ts';

type Events = OtlpSpan['events'];

/** The attributes of the span, and those of generative AI that its events have alone. */
export function callAttributes({ attributes, events }: Pick<OtlpSpan, 'attributes' | 'events'>): Attributes {
  const all = new Map(attributes);
  for (const event of events)
    for (const [name, value] of event.attributes)
      if (name.startsWith('gen_ai.') && !all.has(name)) all.set(name, value);
  return all;
}

/** Undefined: the span says nothing of it. */
export function askedOf(attributes: Attributes, events: Events): object | undefined {
  const messages =
    contentOf(attributes, ['gen_ai.input.messages', 'gen_ai.prompt']) ??
    numbered(attributes, 'gen_ai.prompt.') ??
    messagesOf(events, INPUT_EVENT);
  return withMembers({
    ...paramsOf(attributes),
    system: contentOf(attributes, ['gen_ai.system_instructions']),
    messages,
    tools: contentOf(attributes, ['gen_ai.tool.definitions']),
  });
}

export function answeredOf(attributes: Attributes, events: Events): object | undefined {
  const messages =
    contentOf(attributes, ['gen_ai.output.messages', 'gen_ai.completion']) ??
    numbered(attributes, 'gen_ai.completion.') ??
    messagesOf(events, OUTPUT_EVENT);
  return withMembers({
    id: attributes.get('gen_ai.response.id'),
    model: attributes.get('gen_ai.response.model'),
    finish_reasons: attributes.get('gen_ai.response.finish_reasons'),
    messages,
  });
}

function withMembers(given: Readonly<Record<string, AttributeValue | undefined>>): object | undefined {
  const members = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

const PARAM = 'gen_ai.request.';

function paramsOf(attributes: Attributes): Record<string, AttributeValue> {
  const params = [...attributes].filter(([name]) => name.startsWith(PARAM));
  return Object.fromEntries(params.map(([name, value]) => [name.slice(PARAM.length), value]));
}

/** Messages are values, or JSON in a text. */
function contentOf(attributes: Attributes, names: readonly string[]): AttributeValue | undefined {
  const found = names.map((name) => attributes.get(name)).find((value) => value !== undefined);
  if (typeof found !== 'string' || !/^\s*[[{]/.test(found)) return found;
  try {
    return readJson(found, HEADER_JSON_LIMITS) as AttributeValue; // what JSON has are such values
  } catch {
    return found;
  }
}

/** `gen_ai.prompt.0.role` and the like, which instrumentations write that know no lists. */
function numbered(attributes: Attributes, prefix: string): AttributeValue | undefined {
  const messages = new Map<string, Record<string, AttributeValue>>();
  for (const [name, value] of attributes) {
    const [, index, member] =
      /^(\d{1,3})\.(.{1,256})$/s.exec(name.startsWith(prefix) ? name.slice(prefix.length) : '') ?? [];
    if (index === undefined || member === undefined) continue;
    const message = messages.get(index) ?? (Object.create(null) as Record<string, AttributeValue>); // names come from clients
    message[member] = value;
    messages.set(index, message);
  }
  return messages.size === 0
    ? undefined
    : [...messages].sort(([a], [b]) => Number(a) - Number(b)).map(([, one]) => one);
}

const INPUT_EVENT = /^gen_ai\.(system|user|assistant|tool)\.message$/;
const OUTPUT_EVENT = /^gen_ai\.(choice)$/;

/** An event for each message. */
function messagesOf(events: Events, pattern: RegExp): AttributeValue | undefined {
  const messages = events.flatMap(({ name, attributes }) => {
    const role = pattern.exec(name)?.[1];
    if (role === undefined) return [];
    return [{ role: role === 'choice' ? 'assistant' : role, ...Object.fromEntries(attributes) }];
  });
  return messages.length === 0 ? undefined : messages;
}
