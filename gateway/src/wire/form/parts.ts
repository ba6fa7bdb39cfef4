/** The parts of a form, one after the other. */
import type { PartHead } from './part-head.ts';
import { createFormReader, type FormEvent, type FormLimits } from './reader.ts';

export type FormPart =
  | { readonly kind: 'field'; readonly head: PartHead; readonly value: Buffer }
  /** The content is read once, before the next part is asked for; what is not read is skipped. */
  | { readonly kind: 'file'; readonly head: PartHead; readonly content: AsyncIterable<Buffer> };

/** Reads no further than it is asked to: a file goes through piece by piece. Throws what the reader throws. */
export async function* readParts(
  source: AsyncIterable<Buffer>,
  boundary: string,
  limits: FormLimits,
): AsyncGenerator<FormPart> {
  const events = eventsOf(source, boundary, limits);
  for await (const event of { [Symbol.asyncIterator]: () => open(events) }) {
    if (event.kind === 'field') yield event;
    if (event.kind !== 'file') continue;
    const content = contentOf(events);
    yield { kind: 'file', head: event.head, content };
    for await (const _ of content); // the rest
  }
}

async function* eventsOf(
  source: AsyncIterable<Buffer>,
  boundary: string,
  limits: FormLimits,
): AsyncGenerator<FormEvent> {
  const reader = createFormReader(boundary, limits);
  for await (const bytes of source) yield* reader.push(bytes);
  reader.end();
}

/** Several loops take turns on the events: none of them may close what the others go on with. */
function open(events: AsyncGenerator<FormEvent>): AsyncIterator<FormEvent> {
  return { next: () => events.next() };
}

async function* contentOf(events: AsyncGenerator<FormEvent>): AsyncGenerator<Buffer> {
  for await (const event of { [Symbol.asyncIterator]: () => open(events) }) {
    if (event.kind !== 'data') return;
    yield event.bytes;
  }
}
