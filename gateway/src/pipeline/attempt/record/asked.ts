/** What a call asks for, by which some answers are paid. */
import type { ImagesAsked } from '../../../record/index.ts';
import type { Prepared } from '../prepare/index.ts';

/** Images of one call: no provider draws more. */
const MAX_COUNT = 10;
/** Longer texts are counted by their length: no model speaks them. */
const MAX_CHARACTERS = 1_000_000;
/** Longer names of sizes and qualities are none. */
const MAX_NAME = 32;

/** Undefined: it asks for none. */
export function imagesAsked({ operation, params, resolution }: ImageCall): ImagesAsked | undefined {
  if (operation.generates !== 'images') return undefined;
  const { body } = resolution;
  const said = (name: string): unknown => (body.kind === 'form' ? body.fields?.value?.(name) : params[name]);
  const quality = nameOf(said('quality'));
  const size = nameOf(said('size'));
  return { count: countOf(said('n')), ...(quality && { quality }), ...(size && { size }) };
}

/** Undefined: it asks for no speech. Units: Unicode characters. */
export function charactersAsked({ operation, params }: Omit<ImageCall, 'resolution'>): number | undefined {
  const { input } = params;
  if (operation.generates !== 'speech' || typeof input !== 'string') return undefined;
  if (input.length > MAX_CHARACTERS) return input.length;
  let count = 0;
  for (const _ of input) count += 1;
  return count;
}

type ImageCall = Pick<Prepared, 'params'> & {
  readonly operation: Pick<Prepared['operation'], 'generates'>;
  readonly resolution: Pick<Prepared['resolution'], 'body'>;
};

function countOf(given: unknown): number {
  const count = typeof given === 'string' ? Number(given) : given;
  return typeof count === 'number' && count >= 1 ? Math.min(Math.floor(count), MAX_COUNT) : 1;
}

const nameOf = (given: unknown): string | undefined =>
  typeof given === 'string' && given !== '' && given.length <= MAX_NAME ? given : undefined;
