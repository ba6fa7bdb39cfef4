import { goldenCases } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../wire/contract.ts';
import { adapt, eventsOf, streamed } from './testing.ts';

/** Golden files are typed loosely. */
const objectOf = (value: unknown): JsonObject => value as JsonObject;
const folder = (name: string): URL => new URL(`./fixtures/${name}/`, import.meta.url);

const title = (golden: { readonly name: string; readonly given: JsonObject }): string =>
  `${golden.name}: ${String(golden.given['rule'])}`;
const rows = (name: string) => goldenCases(folder(name)).map((golden) => [title(golden), golden] as const);

describe('a request for a response as one for a chat', () => {
  test.for(rows('requests'))('%s', ([, golden]) => {
    const { params, dropped } = adapt(objectOf(golden.given['request']));
    golden.check('chat', params);
    golden.check('dropped', dropped);
  });
});

describe('a chat completion as a response', () => {
  test.for(rows('answers'))('%s', ([, golden]) => {
    golden.check('response', adapt(objectOf(golden.given['request'])).toClient(objectOf(golden.given['answer'])));
  });
});

describe('a stream of a chat as one of a response', () => {
  test.for(rows('streams'))('%s', ([, golden]) => {
    const chunks = golden.given['chunks'] as readonly object[];
    const frames = chunks.map((chunk) => ({ event: undefined, data: JSON.stringify(chunk) }));
    const events = eventsOf(streamed(objectOf(golden.given['request']), frames));
    golden.check('events', events.map(withoutSettings));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
  });
});

/** Settings are those of answers, and in every event of the whole. */
function withoutSettings(event: JsonObject): JsonObject {
  const { response } = event;
  if (response === undefined) return event;
  const { id, status, model, output, usage, incomplete_details, completed_at } = objectOf(response);
  return { ...event, response: { id, status, model, output, usage, incomplete_details, completed_at } };
}
