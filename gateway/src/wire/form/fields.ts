/** What a form says beside its files, learned while its bytes pass. */
import { malformed } from './part-head.ts';
import { createFormReader, FORM_LIMITS, type FormEvent } from './reader.ts';

export interface FormFields {
  /**
   * The next bytes of the body. A form that cannot be read says nothing more. Throws AppError BODY_NOT_FORM where it names more
   * than one model: servers differ in which one they take.
   */
  take(bytes: Buffer): void;
  /** A file has begun, or the form cannot be read. */
  readonly hasReachedFile: boolean;
  /** Empty: none is named so far. */
  readonly model: string;
}

/** Of one field; prompts may be long. */
const FIELD_BYTES = 64 * 1024;
/** Longer names are no models. */
const MAX_MODEL_BYTES = 256;

export function createFormFields(boundary: string): FormFields {
  const reader = createFormReader(boundary, { ...FORM_LIMITS, fieldBytes: FIELD_BYTES });
  let model: string | undefined;
  let isReadable = true;
  let hasReachedFile = false;
  const read = (bytes: Buffer): readonly FormEvent[] => {
    try {
      return isReadable ? reader.push(bytes) : [];
    } catch {
      isReadable = false;
      return [];
    }
  };
  const learn = (event: FormEvent): void => {
    if (event.kind === 'data' || event.kind === 'file-end') return;
    hasReachedFile ||= event.kind === 'file';
    if (event.head.name !== 'model') return;
    if (model !== undefined) throw malformed('model', 'is there more than once');
    model = event.kind === 'field' && event.value.length <= MAX_MODEL_BYTES ? event.value.toString('utf8') : '';
  };
  return {
    take: (bytes) => {
      for (const event of read(bytes)) learn(event);
    },
    get hasReachedFile() {
      return hasReachedFile || !isReadable;
    },
    get model() {
      return model ?? '';
    },
  };
}
