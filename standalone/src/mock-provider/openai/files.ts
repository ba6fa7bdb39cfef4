import { createHash } from 'node:crypto';
import type { Exchange } from '../exchange.ts';
import type { Form } from '../multipart.ts';
import { json, type Reply } from '../reply.ts';
import { refuseField } from './errors.ts';

/** A file object with the SHA-256 of the received content. Files are not stored. */
export function uploadFile({ seed }: Exchange, form: Form): Reply {
  const file = form.files.find((part) => part.name === 'file');
  if (file === undefined) return refuseField('file', 'file is required');
  return json({
    id: seed.id('file-'),
    object: 'file',
    bytes: file.bytes.length,
    created_at: seed.createdSeconds,
    filename: file.filename,
    purpose: form.fields.get('purpose') ?? 'user_data',
    status: 'processed',
    sha256: createHash('sha256').update(file.bytes).digest('hex'),
  });
}
