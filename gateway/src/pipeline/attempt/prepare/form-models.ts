/**
 * Forms for accounts that admit listed models only: the field `model` comes before any file, and nothing in the form names
 * another model. What follows it is checked while it is sent; a form that breaks the rule breaks off, so that no provider
 * gets it whole.
 */
import { Readable } from 'node:stream';
import { AppError } from '../../../errors/index.ts';
import { readJson } from '../../../lib/json/index.ts';
import type { StreamedBody, Upload } from '../../../wire/contract.ts';
import { createFormReader, FORM_LIMITS, type FormEvent, type PartHead } from '../../../wire/form/index.ts';
import type { FormModelRule } from './model-allow-list.ts';
import { isModelName, modelsInBody } from './named-models.ts';

type Form = Extract<Upload, { kind: 'form' }>;

/** Bytes that are held until the model is known. */
const MAX_LEADING_BYTES = 64 * 1024;
/** Other charsets could make another model of the same bytes. */
const PLAIN_TEXT = /^text\/plain(?:[ \t]*;[ \t]*charset="?(?:utf-8|us-ascii)"?)?$/i;
const FIELD_FIRST = 'name the model in the field model of the form, before any file';

/**
 * The form, checked while it is read. Rejects with MODEL_NOT_ALLOWED where its first part says no listed model; its streams
 * fail with that where a later part names another.
 */
export async function checkedForm(form: Form, rule: FormModelRule): Promise<Form> {
  const { source, boundary } = form;
  const begun = checkedPieces(source.open(), createFormCheck(boundary, rule));
  const leading = await readLeading(begun, rule);
  let first: AsyncIterable<Buffer> | undefined = withLeading(leading, begun.pieces);
  const checked: StreamedBody = {
    bytes: source.bytes,
    get replayable() {
      return source.replayable;
    },
    open: () => {
      const pieces = first ?? checkedPieces(source.open(), createFormCheck(boundary, rule)).pieces;
      first = undefined;
      return Readable.from(pieces, { objectMode: false });
    },
  };
  return { ...form, source: checked };
}

interface Checked {
  readonly pieces: AsyncGenerator<Buffer>;
  readonly check: FormCheck;
}

/** The pieces of a form, each after everything in it has been checked. */
function checkedPieces(source: AsyncIterable<Buffer>, check: FormCheck): Checked {
  async function* read(): AsyncGenerator<Buffer> {
    for await (const piece of source) {
      check.push(piece);
      yield piece;
    }
    check.end();
  }
  return { pieces: read(), check };
}

/** Reads until the model is known. */
async function readLeading({ pieces, check }: Checked, rule: FormModelRule): Promise<readonly Buffer[]> {
  const leading: Buffer[] = [];
  let bytes = 0;
  try {
    while (!check.named) {
      const next = await pieces.next();
      if (next.done === true || bytes > MAX_LEADING_BYTES) throw rule.refusal(FIELD_FIRST);
      leading.push(next.value);
      bytes += next.value.length;
    }
    return leading;
  } catch (error) {
    await pieces.return(undefined);
    throw error;
  }
}

async function* withLeading(leading: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* leading;
  yield* rest;
}

interface FormCheck {
  /** Whether the form has named a listed model. */
  readonly named: boolean;
  push(bytes: Buffer): void;
  end(): void;
}

function createFormCheck(boundary: string, rule: FormModelRule): FormCheck {
  const reader = createFormReader(boundary, FORM_LIMITS);
  let named = false;
  const take = (event: FormEvent): void => {
    if (event.kind !== 'field' && event.kind !== 'file') return;
    const { name } = event.head;
    if (name === 'model' && event.kind === 'field' && !named) {
      rule.admit(modelOf(event.head, event.value, rule));
      named = true;
      return;
    }
    if (mayNameModel(name) || (event.kind === 'field' && holdsModel(name, event.value))) {
      throw rule.refusal(`name one model in the field model of the form, and leave out ${name}`);
    }
    if (event.kind === 'file' && !named) throw rule.refusal(FIELD_FIRST);
  };
  const whole = (read: () => void): void => {
    try {
      read();
    } catch (error) {
      const isUnreadable = error instanceof AppError && error.code !== 'MODEL_NOT_ALLOWED';
      throw isUnreadable ? rule.refusal(`the form cannot be read: ${error.message}`) : error;
    }
  };
  return {
    get named() {
      return named;
    },
    push: (bytes) => whole(() => reader.push(bytes).forEach(take)),
    end: () => whole(() => reader.end()),
  };
}

function modelOf({ contentType }: PartHead, value: Buffer, rule: FormModelRule): string {
  const text = value.toString('utf8');
  if (text === '' || (contentType !== undefined && !PLAIN_TEXT.test(contentType))) throw rule.refusal(FIELD_FIRST);
  return text;
}

/** Some servers take brackets as nesting and decode what is percent-encoded; `_charset_` changes how all fields are read. */
const mayNameModel = (name: string): boolean =>
  isModelName(name) || isModelName(name.split('[', 1)[0] ?? '') || name.includes('%') || name === '_charset_';

/** Whether a field is JSON that names a model. */
function holdsModel(name: string, value: Buffer): boolean {
  const text = value.toString('utf8').trim();
  if (!text.startsWith('{') && !text.startsWith('[')) return false;
  let json: unknown;
  try {
    json = readJson(text);
  } catch {
    return false; // a text that only begins like JSON
  }
  const { named, other } = modelsInBody({ [name]: json });
  return named.size > 0 || other !== undefined;
}
