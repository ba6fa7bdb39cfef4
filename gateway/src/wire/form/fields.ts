/** What a form says beside its files, learned while its bytes pass. */
import { AppError } from '../../errors/index.ts';
import { malformed } from './part-head.ts';
import { createFormReader, FORM_LIMITS, type FormEvent } from './reader.ts';

export interface FormFields {
  /**
   * The next bytes of the body. A form that cannot be read says nothing more, or is refused where the operation takes nothing else.
   * Throws AppError BODY_NOT_FORM where it names more than one model: servers differ in which one they take.
   */
  take(bytes: Buffer): void;
  /** A file has begun, or the form cannot be read. */
  readonly hasReachedFile: boolean;
  /** Empty: none is named so far. */
  readonly model: string;
  /** See `FormModel`. */
  value(name: string): string | undefined;
  /** Why the form cannot be read: an AppError. */
  readonly problem: unknown;
  /** See `FormModel`. */
  insist(isOther: (name: string) => boolean): void;
  /** See `FormModel`. */
  refuseLater(isRefused: (model: string) => boolean): void;
}

/** Of one field; prompts may be long. */
const FIELD_BYTES = 64 * 1024;
/** Longer values are no models, sizes or counts. */
const MAX_VALUE_BYTES = 256;
const MODEL = 'model';
/** What a model begins with that names an account. */
const AT = 0x40;
/** Fields whose values are kept. */
const KEPT: ReadonlySet<string> = new Set(['n', 'size', 'quality']);

/** `alone`: the operation takes forms alone, of so many bytes. */
export function createFormFields(boundary: string, alone?: { readonly maxBytes: number }): FormFields {
  const limits = alone === undefined ? { fieldBytes: FIELD_BYTES } : { totalBytes: alone.maxBytes };
  const reader = createFormReader(boundary, { ...FORM_LIMITS, ...limits });
  /** As many as a form has parts. */
  const names = new Set<string>();
  const values = new Map<string, string>();
  let model: string | undefined;
  let problem: unknown;
  let hasReachedFile = false;
  let isOther: ((name: string) => boolean) | undefined;
  let isTooLate: (model: string) => boolean = () => false;

  const read = (bytes: Buffer): readonly FormEvent[] => {
    try {
      if (problem === undefined) return reader.push(bytes);
    } catch (error) {
      problem = error;
    }
    if (isOther !== undefined || alone !== undefined) throw problem;
    return [];
  };
  const keep = (event: FormEvent): void => {
    if (event.kind === 'field' && KEPT.has(event.head.name)) values.set(event.head.name, textOf(event.value));
  };
  const learn = (event: FormEvent): void => {
    if (event.kind === 'data' || event.kind === 'file-end') return;
    hasReachedFile ||= event.kind === 'file';
    const { name } = event.head;
    names.add(name);
    keep(event);
    if (name !== MODEL) {
      if (isOther !== undefined && isRefused(name, isOther)) throw otherModel(name);
      return;
    }
    if (model !== undefined) throw malformed(MODEL, 'is there more than once');
    model = event.kind === 'field' ? modelOf(event.value) : '';
    if (isTooLate(model)) throw tooLate();
  };
  return {
    take: (bytes) => {
      for (const event of read(bytes)) learn(event);
    },
    get hasReachedFile() {
      return hasReachedFile || problem !== undefined;
    },
    get model() {
      return model ?? '';
    },
    value: (name) => values.get(name),
    get problem() {
      return problem;
    },
    insist: (given) => {
      isOther = given;
      if (problem !== undefined) throw problem;
      for (const name of names) if (name !== MODEL && isRefused(name, given)) throw otherModel(name);
    },
    refuseLater: (given) => {
      isTooLate = given;
    },
  };
}

/** Empty: too long. */
const textOf = (value: Buffer): string => (value.length <= MAX_VALUE_BYTES ? value.toString('utf8') : '');

function modelOf(value: Buffer): string {
  if (value.length > MAX_VALUE_BYTES && value[0] === AT) {
    throw malformed(MODEL, `has more than ${MAX_VALUE_BYTES} bytes`);
  }
  return textOf(value);
}

/** Readers differ in escapes and encodings of other names. */
const PLAIN_NAME = /^[\w.[\]-]+$/;

/** `_charset_`: how other fields are to be read (RFC 7578, section 4.6). */
const isRefused = (name: string, isOther: (name: string) => boolean): boolean =>
  !PLAIN_NAME.test(name) || name.toLowerCase() === '_charset_' || isOther(name);

const tooLate = (): AppError =>
  new AppError('MODEL_REQUIRED', {
    param: MODEL,
    detail:
      'The form names an account in model behind what has been sent on: send the field model before the file, or name the account in x-gw-provider and the model without it',
  });

const otherModel = (name: string): AppError =>
  new AppError('MODEL_NOT_ALLOWED', {
    param: 'model',
    detail: `The account admits listed models only: name one in the field model, and leave out ${name}`,
  });
