import { describe, expect, test } from 'vitest';
import type { ContentPart } from '../../wire/openai/index.ts';
import { UnsupportedPart } from '../../wire/parts/parts.ts';
import type { Call, JsonObject } from '../contract.ts';
import { sampleCall } from '../engine/testing.ts';
import { remoteFiles, uploadedFile } from './remote-files.ts';

const adapted = (): Call => ({ ...sampleCall(), placeOf: () => undefined });
const user = (...content: object[]): JsonObject => ({ model: 'm', messages: [{ role: 'user', content }] });
const text = { type: 'text', text: 'Read it.' };
const data = { type: 'file', file: { file_data: 'data:application/pdf;base64,cGRm' } };
const upload = { type: 'file', file: { file_id: 'file-1', filename: 'a.pdf' } };
const linked = { type: 'file', file: { file_url: 'https://example.test/a.pdf' } };

describe('files of messages in another format', () => {
  test('are written as the upstream takes them, all else as it is', () => {
    const first = { role: 'system', content: 'Be short.' };
    const before = { model: 'm', messages: [first, { role: 'user', content: [text, upload, data] }] };
    const after = remoteFiles(uploadedFile)(before, adapted());
    expect(after).toEqual({
      model: 'm',
      messages: [first, { role: 'user', content: [text, { type: 'file', file: { file_id: 'file-1' } }, data] }],
    });
  });

  test.for<[string, ContentPart]>([
    ['a URL', linked],
    ['nothing', { type: 'file', file: { filename: 'a.pdf' } }],
  ])('are refused by their part where the upstream does not take them: %s', ([, part]) => {
    const refusal = (): unknown => remoteFiles(uploadedFile)(user(text, part), adapted());
    expect(refusal).toThrow(UnsupportedPart);
    expect(refusal).toThrow(expect.objectContaining({ part }));
  });

  test('are refused where the upstream takes none', () => {
    expect(() => remoteFiles()(user(upload), adapted())).toThrow(UnsupportedPart);
  });

  test.for([[user(text, data)], [{ messages: ['odd', { role: 'user' }, { role: 'user', content: [null] }] }], [{}]])(
    'leave a body without them the same object: %j',
    ([params]) => {
      expect(remoteFiles()(params ?? {}, adapted())).toBe(params);
    },
  );
});

test('files of clients of the format itself are judged by the upstream', () => {
  const params = user(upload, linked);
  expect(remoteFiles()(params, sampleCall())).toBe(params);
});
