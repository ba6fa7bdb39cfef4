/** The documents of a call to rank them: texts, or objects that have one. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import type { JsonObject } from '../contract.ts';
import { textAt } from '../json/json.ts';

/** Throws AppError PARAMETER_INVALID, which names the place. */
export function documentsOf({ documents }: JsonObject): readonly (string | JsonObject)[] {
  if (!Array.isArray(documents) || documents.length === 0)
    throw invalid('documents', 'is a list of texts, or of objects');
  return documents.map((document: unknown, at) => {
    if (typeof document === 'string' || isObject(document)) return document;
    throw invalid(`documents[${at}]`, 'is a text, or an object with one in text');
  });
}

/** The text of each. Throws AppError PARAMETER_INVALID. */
export function textsOf(params: JsonObject): readonly string[] {
  return documentsOf(params).map((document, at) => {
    const text = typeof document === 'string' ? document : textAt(document, 'text');
    if (text === undefined) throw invalid(`documents[${at}]`, 'has no text in text');
    return text;
  });
}

/** For providers that take texts alone; the same object where there are only texts. Throws AppError PARAMETER_INVALID. */
export function documentTexts(params: JsonObject): JsonObject {
  const texts = textsOf(params);
  return documentsOf(params).every((document) => typeof document === 'string')
    ? params
    : { ...params, documents: texts };
}

const invalid = (param: string, rule: string): AppError =>
  new AppError('PARAMETER_INVALID', { param, detail: `${param} ${rule}` });
