import { isObject } from '@gatehouse/crds';
import { readJson } from '../lib/json/index.ts';

/** The body of a finished answer: its JSON text, or the object that was assembled from a stream. */
export interface CacheableAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: Buffer | object;
}

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]*\+)?json\s*(?:;|$)/i;
/** Why a server of Ollama answers without saying anything: it has loaded or unloaded a model, which a stored answer would not do. */
const NOTHING_SAID: ReadonlySet<unknown> = new Set(['load', 'unload']);
/** States of a Responses object that are not reusable: background work and failures. */
const UNFINISHED: ReadonlySet<unknown> = new Set(['queued', 'in_progress', 'failed', 'cancelled']);

/**
 * The JSON text to store, without hook results, or undefined when the answer may not be stored: status 200 and a JSON
 * object only; docs/behaviour/caching.md#what-is-stored.
 */
export function storableJson({ status, contentType, body }: CacheableAnswer): Buffer | undefined {
  if (status !== 200) return undefined;
  if (Buffer.isBuffer(body) && !JSON_TYPE.test(contentType ?? '')) return undefined;
  const value = Buffer.isBuffer(body) ? parse(body) : body;
  if (!isObject(value) || isUnfinished(value)) return undefined;
  const { hook_results, ...answer } = value;
  if (hook_results === undefined && Buffer.isBuffer(body)) return body;
  return Buffer.from(JSON.stringify(answer));
}

/** An error under status 200, a state that is not final, or an answer that says nothing. */
function isUnfinished(value: Readonly<Record<string, unknown>>): boolean {
  if (value['error'] !== undefined && value['error'] !== null) return true;
  const choices: readonly unknown[] = Array.isArray(value['choices']) ? value['choices'] : [];
  if (choices.some((choice) => isObject(choice) && NOTHING_SAID.has(choice['finish_reason']))) return true;
  return value['object'] === 'response' && UNFINISHED.has(value['status']);
}

function parse(text: Buffer): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
