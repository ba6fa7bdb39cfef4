/** Bodies of a request as JSON values, without the secrets that documents leave out. */
import { readJson } from '../../lib/json/index.ts';
import { type Cleaner, createCleaner, type KeptBody, type RequestRecord } from '../../record/index.ts';
import { isJson, isText } from './bodies.ts';

/** Undefined: there is none, it was cut, it is no JSON, or it could not be made without a secret. */
export interface CleanBodies {
  /** Of the client, as the target that answered shapes it. */
  asked(): unknown;
  /** As it went to that target. */
  sent(): unknown;
  /** As the client gets it; of a stream that was cut, what had come. */
  answered(): unknown;
  /** JSON that was made of them, where escapes may have become what they stand for; undefined: it cannot be made without a secret. */
  clean(json: string): string | undefined;
}

/** Undefined: not all bodies of the request are kept. Only while the record has them. */
export function cleanBodies(record: RequestRecord): CleanBodies | undefined {
  const { captured, answeredBy } = record;
  if (captured?.isWhole !== true) return undefined;
  const cleaner = createCleaner(record);
  const own = answeredBy?.captured;
  const shaped = (): KeptBody | undefined => own?.params && captured.cut(Buffer.from(JSON.stringify(own.params)));
  return {
    asked: () => jsonOf(shaped() ?? captured.request, cleaner),
    sent: () => jsonOf(own?.sent?.body, cleaner),
    answered: () => jsonOf(captured.answer?.body, cleaner),
    clean: (json) => {
      const clean = cleanText(json, cleaner);
      return clean === json || (clean !== undefined && isJson(clean)) ? clean : undefined;
    },
  };
}

function jsonOf(body: KeptBody | undefined, cleaner: Cleaner): unknown {
  if (body === undefined || (body.truncated && body.isAssembled !== true) || !isText(body)) return undefined;
  const text = cleanText(body.bytes.toString('utf8'), cleaner);
  try {
    return text === undefined ? undefined : readJson(text);
  } catch {
    return undefined; // its message quotes the text
  }
}

function cleanText(text: string, { clean }: Cleaner): string | undefined {
  try {
    return clean(text);
  } catch {
    return undefined;
  }
}
