import { expect, test } from 'vitest';
import { createFormFields, type FormFields } from './fields.ts';

const field = (name: string, value: string): string =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const FILE = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\naudio\r\n';
const END = '--x--\r\n';

function fieldsOf(body: string, pieceBytes = body.length): FormFields {
  const fields = createFormFields('x');
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += pieceBytes) fields.take(bytes.subarray(at, at + pieceBytes));
  return fields;
}

test.for([
  { rule: 'before the file', body: `${field('model', 'whisper-1')}${FILE}${END}`, model: 'whisper-1' },
  { rule: 'behind the file', body: `${FILE}${field('model', 'whisper-1')}${END}`, model: 'whisper-1' },
  { rule: 'nowhere', body: `${field('prompt', 'model')}${FILE}${END}`, model: '' },
  { rule: 'in a name too long for one', body: `${field('model', 'm'.repeat(300))}${FILE}`, model: '' },
  { rule: 'behind what cannot be read', body: `preamble\r\n${field('model', 'whisper-1')}${END}`, model: '' },
])('the model of a form is found $rule, however it is cut', ({ body, model }) => {
  for (const pieceBytes of [1, 7, body.length]) {
    expect(fieldsOf(body, pieceBytes)).toMatchObject({ model, hasReachedFile: true });
  }
});

test('fields are waited for until a file begins', () => {
  expect(fieldsOf(field('model', 'whisper-1'))).toMatchObject({ model: '', hasReachedFile: false });
  expect(fieldsOf(`${field('model', 'whisper-1')}--x\r\n`)).toMatchObject({
    model: 'whisper-1',
    hasReachedFile: false,
  });
});

test('a form with two models is refused, also where the second one comes late', () => {
  const two = `${field('model', 'cheap')}${FILE}${field('model', 'dear')}${END}`;
  expect(() => fieldsOf(two)).toThrow(expect.objectContaining({ code: 'BODY_NOT_FORM' }));
});

test('a model that names an account is refused behind what has been sent on', () => {
  const refused = (value: string): FormFields => {
    const fields = createFormFields('x');
    fields.take(Buffer.from(FILE));
    fields.refuseLater((model) => model.startsWith('@'));
    fields.take(Buffer.from(`${field('model', value)}${END}`));
    return fields;
  };
  expect(() => refused('@other/whisper-1')).toThrow(expect.objectContaining({ code: 'MODEL_REQUIRED' }));
  expect(refused('whisper-1').model).toBe('whisper-1');
});

test('a model that names an account in a text too long for one is refused', () => {
  expect(() => fieldsOf(`${field('model', `@other/${'m'.repeat(300)}`)}${END}`)).toThrow(
    expect.objectContaining({ code: 'BODY_NOT_FORM' }),
  );
});

test('what a form says of images is kept, wherever it stands, and nothing that is too long', () => {
  const body = `${field('n', '2')}${FILE}${field('size', '512x512')}${field('quality', 'h'.repeat(300))}${END}`;
  for (const pieceBytes of [1, body.length]) {
    const fields = fieldsOf(body, pieceBytes);
    expect(['n', 'size', 'quality', 'file'].map((name) => fields.value(name))).toEqual(['2', '512x512', '', undefined]);
  }
});
