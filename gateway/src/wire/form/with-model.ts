import { Readable } from 'node:stream';
import { newId } from '../../lib/random.ts';
import type { Upload } from '../contract.ts';
import { type FormPart, readParts } from './parts.ts';
import { FORM_LIMITS } from './reader.ts';
import { formType, partHead, writeForm } from './writer.ts';

const MODEL = 'model';
const BOUNDARY_CHARS = 32;

/**
 * The form with this value in its field `model`, which is added where there is none, a boundary of its own, and without a charset: as it was read, so is it written. Its
 * length is not known before it is sent.
 */
export function withModel(form: Extract<Upload, { kind: 'form' }>, model: string): Upload {
  const { source, boundary: given } = form;
  const boundary = newId('', BOUNDARY_CHARS);
  return {
    kind: 'form',
    contentType: formType(boundary),
    boundary,
    source: {
      bytes: undefined,
      get replayable() {
        return source.replayable;
      },
      open: () => {
        const field: FormPart = { kind: 'field', head: partHead(MODEL), value: Buffer.from(model) };
        const parts = replaced(readParts(source.open(), given, FORM_LIMITS), field);
        return Readable.from(writeForm(parts, boundary), { objectMode: false });
      },
    },
  };
}

async function* replaced(parts: AsyncIterable<FormPart>, field: FormPart): AsyncGenerator<FormPart> {
  let isNamed = false;
  for await (const part of parts) {
    const isModel = part.kind === 'field' && part.head.name === MODEL;
    isNamed ||= isModel;
    yield isModel ? field : part;
  }
  if (!isNamed) yield field;
}
