/** The models that a client names while a session is open, for accounts that admit listed models only. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { type JsonLimits, readJson } from '../../lib/json/index.ts';
import type { Prepared } from './prepare/index.ts';
import { isModelName } from './prepare/index.ts';

/** Members with what people and tools say: nothing inside them chooses a model. */
const CONTENT: ReadonlySet<string> = new Set(['tools', 'metadata', 'content', 'instructions', 'arguments', 'output']);

/** Throws MODEL_NOT_ALLOWED for an event of the client that names a model beyond the list of the account. */
export type EventCheck = (event: Buffer, isBinary: boolean) => void;

/** Undefined: the account admits every model. */
export function eventCheckOf({ resolved: { managed }, provider }: Prepared, json: JsonLimits): EventCheck | undefined {
  const models = managed?.models;
  if (managed === undefined || models === undefined) return undefined;
  const refuse = (what: string): never => {
    throw new AppError('MODEL_NOT_ALLOWED', {
      provider: provider.id,
      param: 'model',
      detail: `@${managed.slug} admits listed models only: ${what}`,
    });
  };
  return (event, isBinary) => {
    if (isBinary) refuse('events are text');
    for (const [name, model] of modelsOf(parse(event, json) ?? refuse('an event is no JSON'))) {
      if (typeof model !== 'string') refuse(`name the model in ${name} as text`);
      else if (!models.has(model)) refuse('an event names another model');
    }
  };
}

/** What members of an event or a session say that name models, at any depth. */
export function* modelsOf(value: unknown): Generator<readonly [name: string, model: unknown]> {
  if (Array.isArray(value)) for (const item of value) yield* modelsOf(item);
  if (!isObject(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (isModelName(name)) yield [name, inner];
    else if (!CONTENT.has(name)) yield* modelsOf(inner);
  }
}

/** Also undefined where parsers disagree about the meaning of the text. */
function parse(event: Buffer, json: JsonLimits): unknown {
  try {
    return readJson(event, json, { repeated: false });
  } catch {
    return undefined;
  }
}
