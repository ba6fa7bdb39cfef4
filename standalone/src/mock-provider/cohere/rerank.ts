import { isObject } from '@gatehouse/crds';
import { rankTexts } from '../answer/index.ts';
import type { Exchange } from '../exchange.ts';
import { type JsonObject, readCount, readList, readString } from '../json.ts';
import { json, type Reply } from '../reply.ts';
import { refuseInvalid } from './errors.ts';

const MAX_DOCUMENTS = 1_000;
const DOCUMENTS_PER_UNIT = 100;

/** Version 1 takes objects with `text` too, and shows documents on request. */
export const answerRerank =
  (version: '1' | '2') =>
  ({ seed }: Exchange, body: JsonObject): Reply => {
    const query = readString(body, 'query');
    const limit = body['top_n'] ?? undefined;
    if (readString(body, 'model') === undefined) return refuseInvalid('model is required');
    if (query === undefined) return refuseInvalid('query is required');
    if (limit !== undefined && (readCount(body, 'top_n') ?? 0) < 1) return refuseInvalid('top_n must be at least 1');
    const texts = (readList(body, 'documents') ?? []).map((document) => readText(document, version));
    if (texts.length === 0 || texts.length > MAX_DOCUMENTS || !texts.every((text) => text !== undefined)) {
      return refuseInvalid(`documents must be a list of 1 to ${MAX_DOCUMENTS} texts`);
    }
    const isShown = version === '1' && body['return_documents'] === true;
    const results = rankTexts(query, texts, readCount(body, 'top_n')).map((result) =>
      isShown ? { ...result, document: { text: texts[result.index] } } : result,
    );
    const units = { search_units: Math.ceil(texts.length / DOCUMENTS_PER_UNIT) };
    return json({ id: seed.id(''), results, meta: { api_version: { version }, billed_units: units } });
  };

function readText(document: unknown, version: '1' | '2'): string | undefined {
  if (typeof document === 'string') return document;
  return version === '1' && isObject(document) ? readString(document, 'text') : undefined;
}
